/** `ctx acp`: connects a client with an agent of the Agent Client Protocol. */
import { connectAgent } from '../../app/acp/connection.ts';
import { AcpRecorder, type Recorded } from '../../app/acp/recorder.ts';
import { Lines } from '../../app/acp/relay.ts';
import { storedSession } from '../../app/acp/stored-session.ts';
import { openRepository, type Repository } from '../../app/open.ts';
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { type App, type Command, defineCommand } from '../frame/command.ts';

interface Input {
  agent?: string[] | undefined;
  record?: boolean | undefined;
  no_record?: boolean | undefined;
  offer_load?: boolean | undefined;
}

/** Returns what opens the store again and again, since it changes meanwhile; null if there is none. */
function openerOf(app: App, isNeeded: boolean): (() => Repository) | null {
  const { store, directory } = app;
  try {
    app.repository();
    return () => openRepository({ directory, store });
  } catch (error) {
    if (isNeeded || !(error instanceof CtxError) || error.code !== 'not_a_repository') throw error;
    return null;
  }
}

async function run(app: App, input: Input): Promise<{ exit: number }> {
  const { agent = [], record, no_record, offer_load } = input;
  if (app.json) {
    throw new CtxError('usage', 'ctx acp speaks JSON-RPC, and no --json.', { hint: 'Give the line without --json.' });
  }
  const open = openerOf(app, record === true);
  if (!open && !no_record) app.warn('There is no ctx store here: nothing is recorded. Make one with: ctx init');
  const program = process.argv[1] ?? '';
  const exit = await connectAgent({
    agent,
    directory: app.directory,
    environment: app.environment,
    input: process.stdin,
    output: process.stdout,
    recorder: open && !no_record ? [process.execPath, ...process.execArgv, program, 'acp', 'record', '--quiet'] : null,
    stored: (id) => (open ? storedSession(open(), id) : null),
    offersLoad: offer_load === true,
    warn: app.warn,
  });
  return { exit };
}

const acpCommand = defineCommand<Input, { exit: number }>({
  name: 'acp',
  summary: 'record an agent and its editor: passes on every byte between them',
  arguments: [
    { name: 'agent', description: 'behind --: the program of the agent, and its words', optional: true, rest: 'list' },
  ],
  options: [
    { flags: '--record', description: 'fail if there is no store to record in (default: only pass on then)' },
    { flags: '--no-record', description: 'record nothing; sessions are still loaded from the store' },
    { flags: '--offer-load', description: 'say to the editor that sessions can be loaded, though the agent cannot' },
  ],
  examples: [
    ['ctx acp -- gemini --acp', 'what an editor is to start in place of gemini --acp'],
    ['ctx acp --record --offer-load -- opencode acp', 'sessions are loaded from the store'],
  ],
  exits: [[1, 'the agent cannot be started, or there is no store for --record; else the exit code of the agent']],
  mutates: true,
  input: (z) =>
    z
      .object({
        agent: z.optional(z.array(z.string())),
        record: z.optional(z.boolean()),
        no_record: z.optional(z.boolean()),
        offer_load: z.optional(z.boolean()),
      })
      .check(z.refine(({ agent = [] }) => agent.length > 0, 'name the agent behind --: ctx acp -- gemini --acp')),
  run,
  render: () => '',
  exit: ({ exit }) => exit,
});

const recordCommand = defineCommand<Record<string, never>, Recorded>({
  name: 'acp record',
  summary: 'record a connection from standard input as it comes; ctx acp runs it beside',
  examples: [['ctx acp record <connection.jsonl', 'a line a message: {"dir", "ts", "raw"}, as in a recording']],
  exits: [
    [1, 'a part could not be recorded'],
    [5, 'the store is damaged'],
  ],
  ownSessions: true,
  mutates: true,
  input: (z) => z.object({}),
  run: (app) => {
    const open = openerOf(app, true) as () => Repository;
    const recorder = new AcpRecorder(open);
    const lines = new Lines();
    for (const chunk of app.input()) {
      for (const { bytes, isWhole } of lines.push(Buffer.from(chunk)))
        if (isWhole) recorder.line(bytes.toString('utf8'));
      recorder.flush();
    }
    const rest = lines.end();
    if (rest) recorder.line(rest.toString('utf8'));
    recorder.flush(true);
    return recorder.result;
  },
  render: ({ sessions, lines }, theme) =>
    `Recorded ${plural(lines, 'line')}${sessions.length > 0 ? ` into ${sessions.map((id) => theme.accent(id)).join(', ')}` : ''}.\n`,
  problems: ({ problems }) => problems,
  exit: ({ problems }) => (problems.length > 0 ? 1 : 0),
});

export const acpCommands: readonly Command[] = [acpCommand, recordCommand];
