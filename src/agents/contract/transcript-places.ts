/** The contract of an agent's transcript folders, and of how a transcript names its project. */
import type { AgentFolders } from './hook-settings.ts';

/**
 * Says if a folder holds transcripts of a project: `own` if its name says so, `perhaps` if only the transcripts themselves
 * can say it, `no` if it cannot.
 */
export type Holding = 'own' | 'perhaps' | 'no';

/** The project of a conversation, by one of its lines. */
export interface Belonging {
  /** The folder that the agent worked in. */
  cwd: string;
  /** True if it is a conversation of a sub-agent, not one with the user. */
  is_sub_agent: boolean;
}

/** Time for which an agent keeps its transcripts, by its settings: files in its folder of the project, and in the user's own. */
export interface Retention {
  /** Names of those files, the one that wins first. */
  project: readonly string[];
  user: readonly string[];
  /**
   * Returns for how many days, or parts of one, a transcript is kept after its last use, by the texts of the files that exist,
   * the one that wins first; null if it is kept for ever.
   */
  days: (settings: readonly string[]) => number | null;
  /** Describes what is deleted sooner than that; null if nothing is. */
  sooner?: (settings: readonly string[]) => string | null;
  /** Setting to write so that transcripts stay for long: into the winning file that decides it, else into the user's own. */
  longer: string;
  /** Returns whether the text of a file decides what `longer` sets: then a file that it wins over cannot. */
  decides: (text: string) => boolean;
}

/**
 * Why something that an agent has written is not read: `unknown` is of a kind or format that ctx does not know, `compressed` or
 * encrypted, `newer` is of a version that ctx does not know yet, `damaged` cannot be parsed, `denied` cannot be opened,
 * `machine` needs a feature that this Node lacks, `missing` is the absent target of a switch or a link.
 * An error with one of these as `data.unread` names it; one with `data.needs` is `machine`.
 */
export type UnreadReason = 'unknown' | 'compressed' | 'newer' | 'damaged' | 'denied' | 'machine' | 'missing';

/** Something among an agent's transcripts that is no conversation with the user. */
export interface KnownFile {
  /** The path of a file or a folder from a root, with slashes between its names; everything below such a folder is known, too. */
  path: RegExp;
  what: string;
  /** True if it is a transcript of a sub-agent, which is read and compared like the transcript of its caller. */
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
 * An environment variable, or a setting, that names a folder with transcripts of an agent. A relative path counts from the
 * project.
 */
export interface PlaceSwitch {
  variable?: string;
  setting?: PlaceSetting;
  /** The path below the named folder; absent if there is none. */
  below?: string;
  /** The folder below the home folder if nothing is set; absent if there is none. */
  unset?: string;
  /**
   * The place that is named: the agent's `home`, with its roots below it, or the folder of `transcripts` itself, which holds those of all
   * projects side by side.
   */
  names: 'home' | 'transcripts';
  /** True if other programs use the variable, too: then nothing follows from an empty folder. */
  isShared?: true;
}

/** The places of an agent that keeps many conversations in one file or folder, each of which names its project. */
export interface AgentCollections extends AgentFolders {
  agent: string;
  title: string;
  /** Names below the user's folder of the agent, the newest first: of a conversation that several have, the first counts. */
  names: readonly (string | RegExp)[];
  /** The environment variable that names a file elsewhere, or below that folder; absent if there is none. */
  fileVariable?: string;
  /** Other homes of the agent. */
  switches: readonly PlaceSwitch[];
  /** Other known content of a home; whatever is neither that nor one of the names is unknown. */
  known: readonly KnownFile[];
}

/** A folder in the agent's home with a folder for each project, and in that one for each conversation, in a form that ctx does not read. */
export interface AgentChats {
  root: string;
  /** Returns whether a folder of that name belongs to one of these paths of a project. */
  holds: (name: string, projects: readonly string[]) => boolean;
  /** The file of a conversation; the transcript of the same id has the conversation, too, if there is one. */
  file: string;
}

/** The places of an agent's transcripts. */
export interface AgentTranscripts extends AgentFolders {
  /** Name of the agent, as on the command line. */
  agent: string;
  /** Name as people know it. */
  title: string;
  /** Folders with transcripts below the user's folder of the agent. */
  roots: readonly string[];
  /** Returns whether a folder below a root holds transcripts of a project, by its path below the root and the paths of the project. */
  holds: (names: readonly string[], projects: readonly string[]) => Holding;
  /** Returns whether a file is a conversation with the user, by its name. */
  isConversation: (name: string) => boolean;
  /** Other places than the roots below the user's folder. */
  switches: readonly PlaceSwitch[];
  /** The environment variable that names the folder of every project; absent if only the path of that folder does. */
  projectVariable?: string;
  /** A folder beside the roots that ctx does not read. */
  chats?: AgentChats;
  /** Other known content of a root; a file that is neither that nor a conversation is unknown, and reported. */
  known: readonly KnownFile[];
  /** True if each folder right below a root belongs to one project: its conversations name the project of everything in it. */
  hasProjectFolders: boolean;
  /** A file in that folder with the project's path; absent if there is none. */
  projectFile?: { name: string; path: (text: string) => string | undefined };
  /** Types of records that are no prompts: a transcript without a turn that has other types is of an unknown format. */
  silent: RegExp;
  /** Reads from a line to which project its conversation belongs, of a project with these paths; null if the line does not say. */
  belonging: (line: string, projects: readonly string[]) => Belonging | null;
  /** Null if the agent deletes no transcript by itself, as far as is known. */
  retention: Retention | null;
}

/** Returns whether a folder is one of these, or below one. Both separators count, since a transcript may come from Windows. */
export function isWithin(folder: string, projects: readonly string[]): boolean {
  const plain = (path: string): string => path.replaceAll('\\', '/').replace(/\/+$/, '');
  const at = plain(folder);
  return projects.map(plain).some((project) => at === project || at.startsWith(`${project}/`));
}

/** Returns a path as the name of a folder, as Cursor makes it: letters and digits, with a hyphen for everything between them. */
export const nameOfPath = (path: string): string => path.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-|-$/g, '');

/** Files that systems and editors leave in folders. */
const ANYWHERE: readonly KnownFile[] = [
  {
    path: /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.gitignore|\.gitkeep|\.nomedia|\.stfolder|\.localized)$/,
    what: 'the system',
  },
  { path: /(^|\/)\.[_#][^/]+$/, what: 'the system, locks of editors' },
  { path: /\.(lock|lck|pid|sock|tmp|swp|log)$/, what: 'locks, logs and what is being written' },
];

/** Returns what is known about the path below a root; undefined if it is unknown. */
export function knownFile(known: readonly KnownFile[], names: readonly string[]): KnownFile | undefined {
  const path = names.join('/');
  return [...ANYWHERE, ...known].find((each) => each.path.test(path));
}
