/** The table of commands: every command stands here once. The hot ones are part of the entry, the others are loaded when asked for. */
import type { Command } from './command.ts';
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
  secrets: 'what must not be told: where it stands',
  op: 'what moved which pointer',
  hooks: 'ctx in the hooks of agents',
  capture: "what is stored of the agents' conversations",
};

const LAZY_COMMANDS: readonly (() => Promise<readonly Command[]>)[] = [
  async () => [(await import('./commands/init.ts')).initCommand],
  async () => (await import('./commands/stage.ts')).stageCommands,
  async () => (await import('./commands/observe-more.ts')).observeMoreCommands,
  async () => [(await import('./commands/log.ts')).logCommand],
  async () => [(await import('./commands/show.ts')).showCommand],
  async () => [(await import('./commands/diff.ts')).diffCommand],
  async () => [(await import('./commands/ingest.ts')).ingestCommand],
  async () => (await import('./commands/hooks.ts')).hooksCommands,
  async () => (await import('./commands/capture.ts')).captureCommands,
  async () => [(await import('./commands/doctor.ts')).doctorCommand],
  async () => [(await import('./commands/forget.ts')).forgetCommand],
  async () => [(await import('./commands/fsck.ts')).fsckCommand],
  async () => [(await import('./commands/gc.ts')).gcCommand],
  async () => [(await import('./commands/du.ts')).duCommand],
  async () => (await import('./commands/operations.ts')).operationCommands,
  async () => (await import('./commands/secrets.ts')).secretsCommands,
];

/** Every command, in the order of help. */
export async function loadCommands(): Promise<readonly Command[]> {
  const lazy = (await Promise.all(LAZY_COMMANDS.map((load) => load()))).flat();
  const order = [
    'init',
    'stage start',
    'stage status',
    'stage flush',
    'stage',
    'observe',
    'message',
    'choose',
    'hook',
    'log',
    'show',
    'diff',
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
    return exact >= 0 ? exact : order.indexOf(command.name.split(' ')[0] as string);
  };
  return [...HOT_COMMANDS, ...lazy].sort((a, b) => rank(a) - rank(b));
}
