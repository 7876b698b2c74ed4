/** `ctx run status` and `ctx run cursor`. */
import {
  type RunCursor,
  type RunStatus,
  runCursor,
  statusOfRun,
  statusOfRuns,
  watchRuns,
} from '../../app/run/status.ts';
import { oneLine } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { type Command, defineCommand } from '../frame/command.ts';

interface Input {
  session?: string | undefined;
  all?: boolean | undefined;
  watch?: boolean | undefined;
}

const EXITS = [
  [1, 'there is no such session'],
  [5, 'the store is damaged'],
] as const;

/** A state in one line. */
function line({ session_id, state, attempt, message, started_at, pid }: RunStatus): string {
  const facts = [
    ...(attempt === null ? [] : [`attempt ${attempt}`]),
    ...(message === null ? [] : [oneLine(message)]),
    ...(started_at === null ? [] : [`since ${showTime(started_at / 1000)}`]),
    ...(pid === null ? [] : [`process ${pid}`]),
  ];
  return `${session_id}  ${[state, ...facts].join(', ')}\n`;
}

export const runCommands: readonly Command[] = [
  defineCommand<Input, RunStatus | RunStatus[]>({
    name: 'run status',
    summary: 'say what the run of a session does now',
    arguments: [{ name: 'session', description: 'the session (default: the active one)', optional: true }],
    options: [
      { flags: '--all', description: 'the runs of all open sessions' },
      { flags: '--watch', description: 'print a line at each change, until it is interrupted' },
    ],
    examples: [
      ['ctx run status', 'whether an agent works on it, and since when'],
      ['ctx run status --all --watch --json', 'one JSON object a change'],
    ],
    exits: EXITS,
    mutates: false,
    input: (z) =>
      z
        .object({
          session: z.optional(z.string()),
          all: z.optional(z.boolean()),
          watch: z.optional(z.boolean()),
        })
        .check(z.refine(({ session, all }) => !(all && session !== undefined), 'give a session, or --all')),
    isStreamed: ({ watch }) => watch === true,
    run: async (app, { session, all = false, watch }) => {
      const repository = app.repository();
      if (!watch) return all ? statusOfRuns(repository) : statusOfRun(repository, session);
      for await (const status of watchRuns(repository, session, all)) {
        const text = app.json ? `${JSON.stringify({ ok: true, result: status })}\n` : line(status);
        if (!(await app.output(text))) break;
      }
      return [];
    },
    render: (result) => (Array.isArray(result) ? result.map(line).join('') : line(result)),
  }),
  defineCommand<{ session?: string | undefined }, RunCursor>({
    name: 'run cursor',
    summary: 'print where the provider of the model continues',
    arguments: [{ name: 'session', description: 'open or ended (default: the active one)', optional: true }],
    examples: [['ctx run cursor', 'the id of the thread, as of the last turn that was finished']],
    exits: EXITS,
    mutates: false,
    input: (z) => z.object({ session: z.optional(z.string()) }),
    run: (app, { session }) => runCursor(app.repository(), session),
    render: ({ cursor }) => (cursor === null ? '' : `${cursor}\n`),
    verbatim: ({ cursor }) => (cursor === null ? null : `${cursor}\n`),
    hints: ({ cursor }) => (cursor === null ? ['No cursor is known. Keep one with: ctx record --cursor <cursor>'] : []),
  }),
];
