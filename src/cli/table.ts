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

/** What hooks and scripts call at every step: no library is on their way. */
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
  observe: 'record what happens',
  secrets: 'what must not be shared: find it',
  op: 'what moved which pointer',
  hooks: 'ctx in the hooks of agents',
  capture: "what is stored of the agents' conversations",
};

const stage = async (): Promise<readonly Command[]> => (await import('./commands/stage.ts')).stageCommands;
const list = async (): Promise<readonly Command[]> => (await import('./commands/list.ts')).listCommands;
const operations = async (): Promise<readonly Command[]> =>
  (await import('./commands/operations.ts')).operationCommands;

/** By the first word of a line, what loads the commands that begin with it and are not hot. */
const LAZY_COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  init: async () => [(await import('./commands/init.ts')).initCommand],
  stage: async () => [...(await stage()), ...(await list())],
  start: stage,
  recover: stage,
  switch: stage,
  list,
  observe: async () => (await import('./commands/observe-more.ts')).observeMoreCommands,
  log: async () => [(await import('./commands/log.ts')).logCommand],
  restore: async () => [(await import('./commands/restore.ts')).restoreCommand],
  show: async () => [(await import('./commands/show.ts')).showCommand],
  messages: async () => [(await import('./commands/messages.ts')).messagesCommand],
  diff: async () => [(await import('./commands/diff.ts')).diffCommand],
  ingest: async () => [(await import('./commands/ingest.ts')).ingestCommand],
  hooks: async () => (await import('./commands/hooks.ts')).hooksCommands,
  capture: async () => (await import('./commands/capture.ts')).captureCommands,
  doctor: async () => [(await import('./commands/doctor.ts')).doctorCommand],
  forget: async () => [(await import('./commands/forget.ts')).forgetCommand],
  fsck: async () => [(await import('./commands/fsck.ts')).fsckCommand],
  gc: async () => [(await import('./commands/gc.ts')).gcCommand],
  du: async () => [(await import('./commands/du.ts')).duCommand],
  op: operations,
  undo: operations,
  git: operations,
  secrets: async () => (await import('./commands/secrets.ts')).secretsCommands,
};

/** Returns the first words of the names of a command. */
const firstWords = (command: Command): string[] => namesOf(command).map((name) => name.split(' ')[0] as string);

/** The commands that a line can mean, going by the first of its words that begins one: few of them, quickly loaded; or null. */
export async function loadCommandsOf(words: readonly string[]): Promise<readonly Command[] | null> {
  const begins = (word: string): boolean =>
    Object.hasOwn(LAZY_COMMANDS, word) || HOT_COMMANDS.some((command) => firstWords(command).includes(word));
  const first = words.find(begins);
  if (first === undefined) return null;
  const lazy = (await LAZY_COMMANDS[first]?.()) ?? [];
  return [...HOT_COMMANDS, ...lazy].filter((command) => firstWords(command).includes(first));
}

/** Every command, in the order of help. */
export async function loadCommands(): Promise<readonly Command[]> {
  const loaders = [...new Set(Object.values(LAZY_COMMANDS))];
  const lazy = new Set((await Promise.all(loaders.map((load) => load()))).flat());
  const order = [
    'init',
    'stage start',
    'stage status',
    'list',
    'stage flush',
    'stage',
    'observe',
    'message',
    'choose',
    'hook',
    'log',
    'show',
    'messages',
    'diff',
    'restore',
    'ingest',
    'secrets',
    'hooks',
    'capture',
    'doctor',
    'undo',
    'op',
    'forget',
    'fsck',
    'gc',
    'du',
    'git',
  ];
  const rank = (command: Command): number => {
    const exact = order.indexOf(command.name);
    return exact >= 0 ? exact : order.indexOf(firstWords(command)[0] as string);
  };
  return [...HOT_COMMANDS, ...lazy].sort((a, b) => rank(a) - rank(b));
}
