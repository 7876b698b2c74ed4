/** What ctx knows of an agent's hooks: where they stand and how, which events ctx listens to, what is left to the user. */
import type { SettingsShape } from '../../core/hook-settings.ts';

/** One event that ctx listens to. */
export interface HookEvent {
  event: string;
  /** Which tools or kinds of the event (default: all of them). */
  matcher?: string;
  /** Longest time that the agent waits, in the agent's own unit. */
  timeout: number;
}

/** Whose settings: those of one project, or the user's own for all projects. */
export type HookScope = 'project' | 'user';

/**
 * How ctx stands in an agent's hooks.
 * - `settings`: a line for each event, among whatever else the user's file holds.
 * - `file`: a file of ctx's own that the agent loads; `source` is what stands in it, with `"%COMMAND%"` where it names the
 *   command line that tells ctx.
 */
export type HookStand =
  | { as: 'settings'; shape: SettingsShape; events: readonly HookEvent[] }
  | { as: 'file'; source: string };

/** Where an agent keeps what is the user's own. */
export interface AgentFolders {
  /** The agent's folder in a project. */
  folder: string;
  /** The one in the home folder; of the same name where absent. */
  homeFolder?: string;
  /** The variable that names another folder in its place; absent where there is none. */
  folderVariable?: string;
  /** What lies below the folder of that name; nothing where absent. */
  belowVariable?: string;
}

/** What an agent's own settings tell of the user's review. Whether a hook has changed since, only the agent knows. */
export interface Review {
  /** Hooks of the hooks' file that the agent runs, each as `<event>:<group>:<hook>`; null where it asks for no review. */
  events: string[] | null;
  /** Whether the agent runs what the project brings along; null where its settings say nothing. */
  trusted: boolean | null;
}

/** How an agent's own settings tell what it runs, where it does not run every hook. */
export interface ReviewPlace {
  /** Files in the user's folder of the agent. */
  files: readonly string[];
  /** The variable of the environment that says the same for a while, and the words of it; absent where there is none. */
  variable?: { name: string; trusted: string };
  /** @param texts of those files, in their order; empty where one is not there */
  read: (texts: readonly string[], hooks: string, projects: readonly string[]) => Review;
  /** What the user must do where a project is not trusted, or a hook is not passed. */
  mend: string;
}

/** How an agent's settings switch every hook off. */
export interface SwitchPlace {
  /** Files in the agent's folder, the project's and the user's, the weightiest first. */
  files: readonly string[];
  /** Whether one of them switches them off; undefined where it says nothing of it. */
  isOff: (text: string) => boolean | undefined;
  /** What switches them on again. */
  mend: string;
}

/** The hooks of one agent. */
export interface AgentHooks extends AgentFolders {
  /** Name of the agent, as on the command line. */
  agent: string;
  /** Name as people know it. */
  title: string;
  /** The file in the agent's folder that its hooks stand in. */
  file: string;
  /** What its program is called. */
  program: string;
  stand: HookStand;
  review?: ReviewPlace;
  switch?: SwitchPlace;
  /** What the user must still do once hooks were installed or changed, a sentence each. */
  afterwards: Readonly<Record<HookScope, readonly string[]>>;
}
