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

/**
 * Why something that an agent has written is not read: `unknown` is of a kind or format that ctx does not know, `compressed` or
 * encrypted, `newer` is of a version that ctx does not know yet, `damaged` cannot be parsed, `denied` cannot be opened,
 * `machine` needs what this Node lacks, `missing` is what a switch or a link leads to, and is not there.
 * An error with one of these as `data.unread` names it; one with `data.needs` is `machine`.
 */
export type UnreadReason = 'unknown' | 'compressed' | 'newer' | 'damaged' | 'denied' | 'machine' | 'missing';

/** What an agent keeps among its transcripts that is no conversation with the user. */
export interface KnownFile {
  /** The names that lead to a file or a folder from a root, with slashes between; all below such a folder is known, too. */
  path: RegExp;
  what: string;
  /** Whether it is a transcript of a sub-agent, which is read and compared like its caller's. */
  isSubAgent?: true;
}

/** Files of settings in which a key names a folder: JSON that may have comments in it. */
export interface PlaceSetting {
  key: string;
  /** Names below the agent's folder in the project, and below the user's own. */
  project: readonly string[];
  user: readonly string[];
}

/**
 * A variable of the environment, or a setting, that names a folder in which an agent keeps transcripts. A relative path counts
 * from the project.
 */
export interface PlaceSwitch {
  variable?: string;
  setting?: PlaceSetting;
  /** What lies below what is named; nothing where absent. */
  below?: string;
  /** The folder below the home folder where nothing is set; absent where that is none. */
  unset?: string;
  /**
   * What is named: the agent's `home`, with its roots below it, or the folder of `transcripts` itself, in which those of all
   * projects lie side by side.
   */
  names: 'home' | 'transcripts';
  /** Other programs heed it, too: that nothing is there means nothing. */
  isShared?: true;
}

/** Where an agent keeps many conversations in one file or folder, each of which tells where it belongs. */
export interface AgentCollections extends AgentFolders {
  agent: string;
  title: string;
  /** What lies below the user's folder of the agent, the newest first: of a conversation that several have, the first counts. */
  names: readonly (string | RegExp)[];
  /** The variable that names a file elsewhere, or below that folder; absent where there is none. */
  fileVariable?: string;
  /** Other homes of the agent. */
  switches: readonly PlaceSwitch[];
  /** What else lies in a home; what is neither that nor one of the names is not known. */
  known: readonly KnownFile[];
}

/** A folder in the agent's home with a folder for each project, and one in it for each conversation, in a form that ctx does not read. */
export interface AgentChats {
  root: string;
  /** Whether a folder of that name is one of a project's. */
  holds: (name: string, projects: readonly string[]) => boolean;
  /** The file that a conversation is kept in; the transcript of the same id has it, too, where there is one. */
  file: string;
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
  /** Other places than the roots below the user's folder. */
  switches: readonly PlaceSwitch[];
  /** The variable that names the folder of every project; absent where only its path does. */
  projectVariable?: string;
  /** A folder beside the roots that ctx does not read. */
  chats?: AgentChats;
  /** What else lies below a root; a file that is neither that nor a conversation is not known, and is named. */
  known: readonly KnownFile[];
  /** Whether a folder right below a root is that of one project: its conversations tell whose all in it is. */
  hasProjectFolders: boolean;
  /** A file in that folder whose text gives the project's path; absent where there is none. */
  projectFile?: { name: string; path: (text: string) => string | undefined };
  /** Types of records that are no prompts: a transcript without a turn that has others is of a format that is not known. */
  silent: RegExp;
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

/** What anything but an agent leaves in folders. */
const ANYWHERE: readonly KnownFile[] = [
  {
    path: /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.gitignore|\.gitkeep|\.nomedia|\.stfolder|\.localized)$/,
    what: 'the system',
  },
  { path: /(^|\/)\.[_#][^/]+$/, what: 'the system, locks of editors' },
  { path: /\.(lock|lck|pid|sock|tmp|swp|log)$/, what: 'locks, logs and what is being written' },
];

/** Finds what lies at a path below a root among what is known to hold no conversation with the user; undefined if it is not known. */
export function knownFile(known: readonly KnownFile[], names: readonly string[]): KnownFile | undefined {
  const path = names.join('/');
  return [...ANYWHERE, ...known].find((each) => each.path.test(path));
}
