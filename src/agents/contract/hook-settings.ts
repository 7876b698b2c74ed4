/** The contract of an agent's hooks: their payloads, their settings, the events that ctx listens to, and what the user has to do. */
import type { SettingsShape } from '../../core/hook-settings.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { CommandForm } from '../../core/resume/own-commands.ts';
import type { ServerProgram, ServerText } from '../../core/server-settings.ts';
import type { HookEvent as HookReport } from '../../core/session/hook-event.ts';

/** One event that ctx listens to. */
export interface HookEvent {
  event: string;
  /** The tools or kinds of the event that count (default: all of them). */
  matcher?: string;
  /** The longest time that the agent waits, in the agent's own unit. */
  timeout: number;
  /**
   * Use of the event for permissions: `answered` by the rules if the user wants that, or installed `only` then.
   * Absent if nothing.
   */
  permissions?: 'answered' | 'only';
}

/** Whose settings: those of one project, or the user's own for all projects. */
export type HookScope = 'project' | 'user';

/**
 * The ways in which the hooks of ctx are installed for an agent.
 * - `settings`: an entry for each event in the user's settings file.
 * - `server`: an entry of the MCP server of ctx in the user's settings file.
 * - `file`: a file of ctx's own that the agent loads; `source` is its text, with `"%COMMAND%"` in place of the command line of
 *   ctx.
 */
export type HookInstallation =
  | { as: 'settings'; shape: SettingsShape; events: readonly HookEvent[] }
  | { as: 'file'; source: string; comment?: '#' }
  | { as: 'server'; text: (program: ServerProgram, file: string) => ServerText };

/** The commands of ctx that a user may type in the agent. */
export interface AgentCommands extends CommandForm {
  /** Their folder, in the agent's folder. */
  folder: string;
  /** Scopes in which the agent looks for them; all if absent. */
  scopes?: readonly HookScope[];
}

/** The folders with the user's settings of an agent. */
export interface AgentFolders {
  /** The agent's folder in a project. */
  folder: string;
  /** The folder in the home folder; absent if it has the same name. */
  homeFolder?: string;
  /** The environment variable that names another folder in its place; absent if there is none. */
  folderVariable?: string;
  /** The path below the folder that the variable names; absent if there is none. */
  belowVariable?: string;
}

/** The user's review of hooks, by an agent's own settings. Only the agent knows whether a hook has changed since. */
export interface Review {
  /** Hooks of the hooks' file that the agent runs, each as `<event>:<group>:<hook>`; null if it asks for no review. */
  events: string[] | null;
  /** True if the agent runs the hooks of the project; null if its settings say nothing. */
  trusted: boolean | null;
}

/** The settings of an agent that does not run every hook, which say what it runs. */
export interface ReviewPlace {
  /** Files in the user's folder of the agent. */
  files: readonly string[];
  /** The environment variable that overrides these files, and its value for a trusted project; absent if there is none. */
  variable?: { name: string; trusted: string };
  /**
   * Reads the user's review from those files.
   * @param texts of the files, in their order; empty for one that does not exist
   */
  read: (texts: readonly string[], hooks: string, projects: readonly string[]) => Review;
  /** Step that the user must do if a project is not trusted, or a hook is not passed. */
  remedy: string;
}

/** The settings with which an agent switches every hook off. */
export interface SwitchPlace {
  /** Files in the agent's folder of the project and of the user, the one that wins first. */
  files: readonly string[];
  /** Returns whether the text of a file switches them off; undefined if it does not say. */
  isOff: (text: string) => boolean | undefined;
  /** Step that the user must do to switch them on again. */
  remedy: string;
}

/** Files in which an agent lists the MCP servers that it starts; folders that are absent are those of its hooks. */
export interface AgentServers extends Partial<AgentFolders> {
  /** The file in the agent's folder of a project, and in the user's; the latter is absent if it has the same name. */
  file: string;
  homeFile?: string;
  installation: Extract<HookInstallation, { as: 'server' }>;
  afterwards: AgentHooks['afterwards'];
}

/** The settings of one agent's hooks. */
export interface AgentHooks extends AgentFolders {
  /** Name of the agent, as on the command line. */
  agent: string;
  /** Name as people know it. */
  title: string;
  /** The file with its hooks, in the agent's folder. */
  file: string;
  /** The file in the user's folder; absent if it has the same name. */
  homeFile?: string;
  /** Absent if ctx does not know how the agent is given a server. */
  servers?: AgentServers;
  /** The name of its program. */
  program: string;
  installation: HookInstallation;
  /** Absent if its users cannot have commands of their own. */
  commands?: AgentCommands;
  review?: ReviewPlace;
  switch?: SwitchPlace;
  /** Steps that the user must still do after hooks were installed or changed, one sentence each. */
  afterwards: Readonly<Record<HookScope, readonly string[]>>;
}

/** An answer to the agent: text for its model, at an event in the agent's own name of it. */
export interface HookAnswer {
  event: string;
  context: string;
}

/** A tool that an agent wants to use. */
export interface AskedPermission {
  tool: string;
  /** Input that the agent passes to the tool. */
  input: JsonValue;
  /** The agent's own id of the call; null if the payload has none. */
  call_id: string | null;
}

/** Answer of the rules to it. */
export interface PermissionAnswer {
  /** The agent's own name of the event. */
  event: string;
  verdict: 'allow' | 'deny';
  /** Why, for the model. */
  reason: string;
}

/** Questions of an agent at a hook if a tool may be used, and the answers to them. */
export interface PermissionPoint {
  /** Reads a payload; returns null if nothing is asked in it that a rule can answer. */
  asked: (payload: JsonObject) => AskedPermission | null;
  /** Returns the answer in the agent's form; null if the agent takes no such answer. */
  answer: (answer: PermissionAnswer) => JsonObject | null;
}

/** The hooks of an agent: how their payloads are read and answered, and how they are installed. */
export interface HookContract {
  /** True if they contain the user's answer to a question that one of the agent's tools asks. */
  hasAnswers?: true;
  /** The keys that only its payloads have; set if it also runs the hooks of other agents. */
  signs?: readonly string[];
  /** Reads a payload; returns null if it is not one of this agent's. */
  read: (payload: JsonObject) => HookReport | null;
  /** Returns the answer in the agent's form, null if it takes none at this event; absent if it takes the form of Claude Code. */
  replyOf?: (answer: HookAnswer) => JsonObject | null;
  /** Absent if no hook of the agent can answer for the user. */
  permissions?: PermissionPoint;
  settings: () => AgentHooks;
}
