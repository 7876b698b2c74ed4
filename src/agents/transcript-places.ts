/** What ctx knows of the places of an agent's transcripts, and of how one tells whose it is. */
import type { AgentFolders } from './hook-settings.ts';

/**
 * Whether a folder holds transcripts of a project: `own` where its name says so, `perhaps` where only the transcripts
 * themselves tell, `no` where there is nothing to look for.
 */
export type Holding = 'own' | 'perhaps' | 'no';

/** What a line tells of the conversation that it stands in. */
export interface Belonging {
  /** The folder that the agent worked in. */
  cwd: string;
  /** Whether it is a conversation of a sub-agent, not one with the user. */
  is_sub_agent: boolean;
}

/** How long an agent keeps its transcripts, by its settings: files in its folder of the project, and in the user's own. */
export interface Retention {
  /** Names of those files, the weightiest first. */
  project: readonly string[];
  user: readonly string[];
  /**
   * For how many days, or parts of one, a transcript is kept after its last use, by the texts of the files that are there,
   * weightiest first; null where it stays.
   */
  days: (settings: readonly string[]) => number | null;
  /** What goes sooner than that, in words; null where nothing does. */
  sooner?: (settings: readonly string[]) => string | null;
  /** What to write, so that transcripts stay for long: into the weightiest file that decides it, else into the user's own. */
  longer: string;
  /** Whether the text of a file settles what `longer` would: in a lighter one that would do nothing. */
  decides: (text: string) => boolean;
}

/** Where an agent keeps many conversations in one file or folder, each of which tells where it belongs. */
export interface AgentCollections extends AgentFolders {
  agent: string;
  /**
   * What lies below the user's folder of the agent, the newest first: of a conversation that several have, the first counts. An
   * expression stands for every file whose name it matches.
   */
  names: readonly (string | RegExp)[];
  /** The variable that names one more file, before all others, from that folder; absent if there is none. */
  fileVariable?: string;
}

export interface AgentTranscripts extends AgentFolders {
  /** Name of the agent, as on the command line. */
  agent: string;
  /** Name as people know it. */
  title: string;
  /** Folders below the user's folder of the agent that transcripts lie in. */
  roots: readonly string[];
  /** What a folder below a root holds, by the names that lead to it, for a project that may have several paths. */
  holds: (names: readonly string[], projects: readonly string[]) => Holding;
  /** Whether a file is a conversation with the user, by its name. */
  isConversation: (name: string) => boolean;
  /** What a line tells, of a project that may have several paths; null where nothing. */
  belonging: (line: string, projects: readonly string[]) => Belonging | null;
  /** Null where the agent deletes no transcript by itself, as far as is known. */
  retention: Retention | null;
}

/** Whether a folder is one of these, or lies below one. Both separators count, since a transcript may come from Windows. */
export function isWithin(folder: string, projects: readonly string[]): boolean {
  const plain = (path: string): string => path.replaceAll('\\', '/').replace(/\/+$/, '');
  const at = plain(folder);
  return projects.map(plain).some((project) => at === project || at.startsWith(`${project}/`));
}

/** A path as the name of a folder, as Cursor makes it: letters and digits, a hyphen for all that stands between them. */
export const nameOfPath = (path: string): string => path.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, '');
