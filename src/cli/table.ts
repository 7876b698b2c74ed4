/** Lists every command once. The hot commands are part of the entry; the others are loaded on demand. */
import { hookCommand } from './commands/hook.ts';
import { messageCommands } from './commands/message.ts';
import {
  observeCommandCommand,
  observeNoteCommand,
  observePlanCommand,
  observeReadCommand,
  observeWriteCommand,
} from './commands/observe.ts';
import { flushCommand } from './commands/stage-flush.ts';
import { moveCommands } from './commands/stage-moves.ts';
import { statusCommand } from './commands/stage-status.ts';
import { type Command, namesOf } from './frame/command.ts';

/** Commands that hooks and scripts call at every step: no library is on their way. */
export const HOT_COMMANDS: readonly Command[] = [
  statusCommand,
  flushCommand,
  observeReadCommand,
  observeWriteCommand,
  observeCommandCommand,
  observeNoteCommand,
  observePlanCommand,
  ...moveCommands,
  ...messageCommands,
  hookCommand,
];

/** The first words of commands of two words. */
export const GROUPS: Record<string, string> = {
  stage: 'the session: begin it, move it, save it',
  session: 'what is known of the session',
  observe: 'record what happens',
  secrets: 'what must not be shared: find it',
  op: 'what moved which pointer',
  model: 'the model of the next messages',
  run: 'what an agent does now',
  prompt: 'the system prompt of the next request',
  hooks: 'ctx in the hooks of agents',
  permission: 'what an agent may do without a question',
  capture: "what is stored of the agents' conversations",
};

const stage = async (): Promise<readonly Command[]> => (await import('./commands/stage.ts')).stageCommands;
const list = async (): Promise<readonly Command[]> => (await import('./commands/list.ts')).listCommands;
const why = async (): Promise<readonly Command[]> => (await import('./commands/why.ts')).whyCommands;
const operations = async (): Promise<readonly Command[]> =>
  (await import('./commands/operations.ts')).operationCommands;

/** Loads the commands that are not hot; null if all of the name are. */
type Loader = (() => Promise<readonly Command[]>) | null;

/** The one list of commands and groups, in the order of help: by its name or its first word, each with what loads the rest of them. */
const LOADERS: Readonly<Record<string, Loader>> = {
  init: async () => [(await import('./commands/init.ts')).initCommand],
  stop: async () => [(await import('./commands/stop.ts')).stopCommand],
  resume: async () => [(await import('./commands/resume.ts')).resumeCommand],
  mirror: async () => [(await import('./commands/mirror.ts')).mirrorCommand],
  session: async () => (await import('./commands/session.ts')).sessionCommands,
  'stage start': stage,
  'stage status': null,
  list,
  'stage flush': null,
  stage: async () => [...(await stage()), ...(await list())],
  observe: async () => (await import('./commands/observe-more.ts')).observeMoreCommands,
  message: null,
  choose: null,
  hook: null,
  log: async () => [(await import('./commands/log.ts')).logCommand],
  show: async () => [(await import('./commands/show.ts')).showCommand],
  search: async () => [(await import('./commands/search.ts')).searchCommand],
  why,
  blame: why,
  mcp: async () => [(await import('./commands/mcp.ts')).mcpCommand],
  pack: async () => [(await import('./commands/pack.ts')).packCommand],
  usage: async () => [(await import('./commands/usage.ts')).usageCommand],
  messages: async () => [
    (await import('./commands/messages.ts')).messagesCommand,
    (await import('./commands/messages-append.ts')).messagesAppendCommand,
  ],
  rewind: async () => (await import('./commands/rewind.ts')).rewindCommands,
  unrewind: async () => (await import('./commands/rewind.ts')).rewindCommands,
  branch: async () => [(await import('./commands/branch.ts')).branchCommand],
  context: async () => (await import('./commands/context.ts')).contextCommands,
  record: async () => [(await import('./commands/record.ts')).recordCommand],
  replay: async () => [(await import('./commands/replay.ts')).replayCommand],
  abort: async () => [(await import('./commands/abort.ts')).abortCommand],
  run: async () => (await import('./commands/run.ts')).runCommands,
  model: async () => (await import('./commands/model.ts')).modelCommands,
  prompt: async () => (await import('./commands/model.ts')).promptCommands,
  permission: async () => (await import('./commands/permission.ts')).permissionCommands,
  diff: async () => [(await import('./commands/diff.ts')).diffCommand],
  rename: async () => [(await import('./commands/rename.ts')).renameCommand],
  restore: async () => [(await import('./commands/restore.ts')).restoreCommand],
  acp: async () => (await import('./commands/acp.ts')).acpCommands,
  ingest: async () => [(await import('./commands/ingest.ts')).ingestCommand],
  export: async () => [(await import('./commands/export.ts')).exportCommand],
  import: async () => [(await import('./commands/import.ts')).importCommand],
  secrets: async () => (await import('./commands/secrets.ts')).secretsCommands,
  hooks: async () => (await import('./commands/hooks.ts')).hooksCommands,
  capture: async () => (await import('./commands/capture.ts')).captureCommands,
  doctor: async () => [(await import('./commands/doctor.ts')).doctorCommand],
  undo: operations,
  op: operations,
  forget: async () => [(await import('./commands/forget.ts')).forgetCommand],
  fsck: async () => [(await import('./commands/fsck.ts')).fsckCommand],
  gc: async () => [(await import('./commands/gc.ts')).gcCommand],
  reindex: async () => [(await import('./commands/reindex.ts')).reindexCommand],
  du: async () => [(await import('./commands/du.ts')).duCommand],
  completion: async () => [(await import('./completion.ts')).completionCommand],
  git: operations,
  // Shorter names of commands of `stage`.
  start: stage,
  recover: stage,
  switch: stage,
};

/** Returns the first words of the names of a command. */
const firstWords = (command: Command): string[] => namesOf(command).map((name) => name.split(' ')[0] as string);

/** Returns whether a word begins a command. */
export const isCommandWord = (word: string): boolean =>
  Object.hasOwn(LOADERS, word) || HOT_COMMANDS.some((command) => firstWords(command).includes(word));

/** The commands that a line can mean, going by the first of its words that begins one: few of them, quickly loaded; or null. */
export async function loadCommandsOf(words: readonly string[]): Promise<readonly Command[] | null> {
  const first = words.find(isCommandWord);
  if (first === undefined) return null;
  const lazy = (await LOADERS[first]?.()) ?? [];
  return [...HOT_COMMANDS, ...lazy].filter((command) => firstWords(command).includes(first));
}

/** Every command, in the order of help. */
export async function loadCommands(): Promise<readonly Command[]> {
  const loaders = [...new Set(Object.values(LOADERS))];
  const lazy = new Set((await Promise.all(loaders.map((load) => load?.() ?? []))).flat());
  const order = Object.keys(LOADERS);
  const rank = ({ name }: Command): number =>
    order.includes(name) ? order.indexOf(name) : order.indexOf(name.split(' ')[0] as string);
  return [...HOT_COMMANDS, ...lazy].sort((a, b) => rank(a) - rank(b));
}
