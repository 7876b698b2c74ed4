/** `ctx record`. */
import type { Readable } from 'node:stream';
import { type Piped, RUN_VARIABLE, recordPipe } from '../../app/run/pipe.ts';
import { record } from '../../app/run/record.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  session?: string | undefined;
  as?: string | undefined;
  cursor?: string | undefined;
  sync?: boolean | undefined;
  parent?: string | undefined;
  call?: string | undefined;
  command?: string[] | undefined;
}

/** Exit code that a shell reports for a program that its user has interrupted. */
const INTERRUPTED = 130;

export const recordCommand = defineCommand<Input, Piped>({
  name: 'record',
  summary: 'record the run of an agent as it is streamed, and pass it on unchanged',
  arguments: [
    { name: 'session', description: 'the session to record into (default: the active one)', optional: true },
    { name: 'command', description: 'behind --: the command whose output is recorded', optional: true, rest: 'list' },
  ],
  options: [
    { flags: '--as <message>', description: 'the id of the message; that of the last answer continues it' },
    { flags: '--cursor <cursor>', description: 'where the provider continues: its own id of the thread' },
    { flags: '--sync', description: 'wait for the disk at each chunk; by default it is there within 100 ms' },
    { flags: '--parent <session>', description: 'the session whose run has started this one' },
    { flags: '--call <id>', description: 'the call of that session which has started it' },
  ],
  examples: [
    ['node agent.mjs | ctx record | node client.mjs', 'record chunks of the AI SDK, as NDJSON or server-sent events'],
    ['ctx record -- node agent.mjs', 'the same of a command, which ctx abort can end'],
    ['ctx record --cursor thread_42 -- node agent.mjs', 'keep where the provider continues'],
  ],
  exits: [
    [1, 'there is no such session, or not all could be recorded; else the exit code of the command'],
    [4, 'a run of the session is in flight, or another command works on the store'],
    [5, 'the store is damaged'],
    [INTERRUPTED, 'the run was aborted'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      session: z.optional(z.string()),
      as: z.optional(z.string().check(z.minLength(1, '--as needs the id of a message'))),
      cursor: z.optional(z.string().check(z.minLength(1, '--cursor needs a text'))),
      sync: z.optional(z.boolean()),
      parent: z.optional(z.string()),
      call: z.optional(z.string()),
      command: z.optional(z.array(z.string())),
    }),
  isStreamed: () => true,
  run: async (app, input) => {
    const command = app.behindDashes;
    const [parent, call] = (app.environment[RUN_VARIABLE] ?? '').split(' ');
    // The first word is the session only if it is in front of the dashes.
    const words = [input.session, ...(input.command ?? [])].filter((word) => word !== undefined);
    const session = words.length > command.length ? words[0] : undefined;
    const recording = await record(app.repository(), {
      ...input,
      session,
      parent: input.parent ?? (parent || undefined),
      call: input.call ?? (call || undefined),
      environment: app.environment,
      onNotice: app.note,
      onWarning: app.warn,
    });
    const { environment, directory, output } = app;
    const piped = await recordPipe(recording, {
      command,
      environment,
      directory,
      output,
      input: app.stdin as Readable,
    });
    for (const problem of piped.problems) app.warn(`not recorded: ${problem}`);
    if (piped.failure) throw piped.failure;
    return piped;
  },
  render: () => '',
  exit: ({ exit, aborted }) => (aborted ? INTERRUPTED : (exit ?? 0)),
});
