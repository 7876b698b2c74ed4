/** The contract of how an agent's program is started: in a conversation of its own, or in a new one that is handed a context. */

/** The context with which a new conversation begins. */
export interface Handover {
  /** The context block. */
  context: string;
  /** The command that the session was begun with, which loads its instructions: `/workspace.brainstorm`; null if there was none. */
  command: string | null;
  /** The request that the agent gets if the context is not a part of its prompt. */
  request: string;
}

/** A file of the agent's settings that names MCP servers, and the key under which it does. */
export interface ServersFile {
  path: string;
  key: string;
  as: 'json' | 'toml';
}

/** Describes how the program of one agent is started. */
export interface AgentStart {
  /** Name of the agent, as on the command line. */
  agent: string;
  /** Name as people know it. */
  title: string;
  /** The program, as it is on PATH. */
  program: string;
  /** Returns the words behind the program that continue one of its own conversations. */
  resume: (id: string) => readonly string[];
  /** True if it finds a conversation only from the folder that this was begun in. */
  isBoundToFolder?: true;
  /**
   * Returns the words behind the program that print one of its own conversations, and fail if it has none of that id. Absent if its
   * conversations are files that every Node reads.
   */
  print?: (id: string) => readonly string[];
  /** Returns the words that begin a new conversation. */
  begin: (given: Handover) => readonly string[];
  /** Returns the files, below the project, in which a command of that name may be; without its slash. */
  commandFiles: (name: string) => readonly string[];
  /** Files below the project with instructions for the agent, the one that counts first. */
  instructions: readonly string[];
  /** Files below the project that name MCP servers. */
  servers: readonly ServersFile[];
}

/** Returns the first prompt of an agent that takes the context there: the command first, which its words follow. */
export const promptOf = ({ context, command }: Handover): string =>
  command === null ? context : `${command} ${context}`;

/** The sentence in front of a context in which marks were broken. */
const BROKEN =
  'Behind marks that name a file or a command for your program, an invisible character (U+200B) was put in, so that they are only quoted: it is no part of the names.';

/**
 * Returns the first prompt of an agent that expands files and commands in it: a context only quotes them, and must run and read nothing.
 * @param expanded the marks by which a prompt of that agent names a file to be read, or a command whose output it has
 */
export function unexpandedPromptOf(given: Handover, expanded: RegExp): string {
  const context = given.context.replace(expanded, (mark) => `${mark}\u200b`);
  if (context === given.context) return promptOf(given);
  return promptOf({ ...given, context: context.replace(/\n|$/, (end) => ` ${BROKEN}${end}`) });
}

/** Returns the names of the folders and the file of a command: `a:b` lies in the folder `a`. */
export const pathOfCommand = (name: string): string => name.replaceAll(':', '/');
