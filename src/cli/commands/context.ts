/** `ctx context` and its commands: how full the window is, and what makes room in it. */
import {
  type CompactContextResult,
  compactContext,
  type UncompactResult,
  uncompactContext,
} from '../../app/conversation/compact.ts';
import { type ContextWindow, contextWindow } from '../../app/conversation/context.ts';
import { type PruneResult, pruneOutputs, type RestoreResult, restoreOutputs } from '../../app/conversation/prune.ts';
import { linesOf, oneLine, plural } from '../../core/text.ts';
import { pad, widest } from '../frame/columns.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

/** Number of columns that the bar of a terminal takes. */
const BAR = 40;
/** Parts of what is usable, in percent, from which the bar warns. */
const FULL = 80;

const tokens = (count: number): string => count.toLocaleString('en-US');

/** Lines of a name, a number and a note, in columns. */
function table(rows: readonly (readonly [name: string, count: number, note?: string])[], theme: Theme): string[] {
  const names = widest(rows.map(([name]) => name));
  const counts = widest(rows.map(([, count]) => tokens(count)));
  return rows.map(
    ([name, count, note]) =>
      `  ${pad(name, names)}  ${tokens(count).padStart(counts)}${note === undefined ? '' : `  ${theme.faint(note)}`}`,
  );
}

function* renderWindow(window: ContextWindow, theme: Theme): Generator<string> {
  const { model, limit, used, reserve, usable, percent, estimated, reported, session } = window;
  const about = estimated ? ' (estimated)' : '';
  yield `Model:    ${model === null ? 'unknown' : oneLine(model)}\n`;
  yield limit === null
    ? 'Window:   unknown; say it with "models" in settings.json: {"<model>": {"context": 200000}}\n'
    : `Window:   ${tokens(limit)} tokens, ${tokens(reserve)} kept free for the answer, ${tokens(usable ?? 0)} usable\n`;
  yield `Used:     ${tokens(used)}${about}${percent === null ? '' : `, ${percent} %`}\n`;
  if (theme.columns() !== null && percent !== null) {
    const filled = Math.min(BAR, Math.round((percent / 100) * BAR));
    const colour = percent >= 100 ? theme.bad : percent >= FULL ? theme.warn : theme.good;
    yield `          ${colour('█'.repeat(filled))}${theme.faint('░'.repeat(BAR - filled))}\n`;
  }
  if (reported !== null && estimated) yield `Reported: ${tokens(reported)} for the last answer\n`;
  yield `All calls of the session: ${tokens(session.total)} tokens${session.cost_usd === null ? '' : `, $${session.cost_usd}`}\n`;
  const { by_role, by_tool, largest } = window;
  const sections: [string, string[]][] = [
    ['By role (estimated):', table(Object.entries(by_role), theme)],
    [
      'By tool (estimated):',
      table(
        by_tool.map((one) => [oneLine(one.tool, 40), one.tokens, plural(one.calls, 'call')]),
        theme,
      ),
    ],
    [
      'Largest messages (estimated):',
      table(
        largest.map((one) => [oneLine(one.message_id), one.tokens, one.role]),
        theme,
      ),
    ],
  ];
  for (const [title, lines] of sections) if (lines.length > 0) yield `\n${title}\n${lines.join('\n')}\n`;
}

/** Reads `80%`, or `80`. */
const percentIn = (text: string): number | null => {
  const match = /^(\d{1,3}(?:\.\d+)?)\s*%?$/.exec(text.trim());
  return match ? Number(match[1]) : null;
};

const STORE_EXITS = [
  [4, 'another command works on the store'],
  [5, 'the store is damaged'],
] as const;

const contextCommand = defineCommand<{ session?: string | undefined; warn?: string | undefined }, ContextWindow>({
  name: 'context',
  summary: "show how full the model's window is, and what fills it",
  arguments: [
    { name: 'session', description: 'a session, a step or a commit (default: the active session)', optional: true },
  ],
  options: [{ flags: '--warn <percent>', description: 'exit with 1 if more of what is usable is taken: --warn 80%' }],
  examples: [
    ['ctx context', 'how full the window is'],
    ['ctx context --warn 80%', 'the same, for a script that asks'],
  ],
  exits: [[1, 'there is no such session, or the window is fuller than --warn says'], STORE_EXITS[1]],
  mutates: false,
  input: (z) =>
    z.object({
      session: z.optional(z.string()),
      warn: z.optional(
        z.string().check(z.refine((text) => percentIn(text) !== null, '--warn takes a percentage: 80%')),
      ),
    }),
  run: (app, { session }) => contextWindow(app.repository(), session),
  render: renderWindow,
  exit: ({ percent }, { warn }) => {
    const most = warn === undefined ? null : percentIn(warn);
    return most !== null && percent !== null && percent > most ? 1 : 0;
  },
  hints: ({ percent }) =>
    percent !== null && percent >= FULL ? ['Make room with: ctx context prune, or ctx context compact'] : [],
});

interface CompactInput {
  auto?: boolean | undefined;
  summarizer?: 'extract' | 'command' | 'openai' | undefined;
  dry_run?: boolean | undefined;
}

/** Renders the size of a view before and after, in tokens. */
const fromTo = (before: number, after: number): string => `${tokens(before)} → ${tokens(after)} tokens (estimated)`;

function renderCompacted(result: CompactContextResult, theme: Theme): string {
  const { part, turns, hidden, tokens_before, tokens_after, dry_run } = result;
  if (!part) return 'Nothing was summarised.\n';
  const verb = dry_run ? 'Would summarise' : 'Summarised';
  const head = `${verb} ${plural(turns, 'earlier turn')} (${plural(hidden, 'message')}): ${fromTo(tokens_before, tokens_after)}\n`;
  const summary = linesOf(part.data.summary.trim()).map((line) => `  ${theme.faint(line)}`.trimEnd());
  return dry_run ? `${head}\n${summary.join('\n')}\n` : head;
}

const compactCommand = defineCommand<CompactInput, CompactContextResult>({
  name: 'context compact',
  summary: 'replace all but the last turns by a summary, in the view of the model',
  options: [
    { flags: '--auto', description: 'only if the usable part of the window is full' },
    {
      flags: '--summarizer <name>',
      description: 'who writes the summary (default: "context.summarizer" in settings.json, else extract)',
      choices: ['extract', 'command', 'openai'],
    },
    { flags: '--dry-run', description: 'only show the summary' },
  ],
  examples: [
    ['ctx context compact', 'make room; ctx context uncompact takes it back'],
    ['ctx context compact --dry-run', 'see what the summary would say'],
  ],
  exits: [[1, 'there is nothing to summarise, or the summarizer failed; nothing is changed'], ...STORE_EXITS],
  mutates: true,
  input: (z) =>
    z.object({
      auto: z.optional(z.boolean()),
      summarizer: z.optional(z.enum(['extract', 'command', 'openai'])),
      dry_run: z.optional(z.boolean()),
    }),
  run: (app, { auto, summarizer, dry_run: dryRun }) =>
    compactContext(app.repository(), { auto, summarizer, dryRun, environment: app.environment }),
  render: renderCompacted,
  problems: ({ warnings }) => warnings,
  hints: ({ part, dry_run }) => (part && !dry_run ? ['Take it back with: ctx context uncompact'] : []),
});

const uncompactCommand = defineCommand<Record<never, never>, UncompactResult>({
  name: 'context uncompact',
  summary: 'take back the last summary: the model sees again what it replaced',
  examples: [['ctx context uncompact', 'see the whole conversation again']],
  exits: [[1, 'the model sees no summary'], ...STORE_EXITS],
  mutates: true,
  input: (z) => z.object({}),
  run: (app) => uncompactContext(app.repository()),
  render: ({ shown, message_id }) =>
    `${plural(shown, 'message')} in view again; the summary ${oneLine(message_id)} is out of view.\n`,
});

interface PruneInput {
  tokens?: number | undefined;
  protect?: string[] | undefined;
  dry_run?: boolean | undefined;
}

const pruneCommand = defineCommand<PruneInput, PruneResult>({
  name: 'context prune',
  summary: 'take large outputs of finished calls out of the view of the model, oldest first',
  options: [
    { flags: '--tokens <number>', description: 'stop when so many tokens are free', kind: 'integer' },
    { flags: '--protect <tool>', description: 'leave the outputs of this tool', many: true },
    { flags: '--dry-run', description: 'only show which outputs would go' },
  ],
  examples: [
    ['ctx context prune --tokens 20000', 'free about 20,000 tokens'],
    ['ctx context prune --protect Read', 'free what can be freed, but nothing that was read'],
  ],
  exits: [[1, 'no session is active'], ...STORE_EXITS],
  mutates: true,
  input: (z) =>
    z.object({
      tokens: z.optional(z.int().check(z.nonnegative('--tokens cannot be negative'))),
      protect: z.optional(z.array(z.string())),
      dry_run: z.optional(z.boolean()),
    }),
  run: (app, { tokens: wanted, protect, dry_run: dryRun }) =>
    pruneOutputs(app.repository(), { tokens: wanted, protect, dryRun }),
  render: ({ pruned, tokens_before, tokens_after, dry_run }, theme) => {
    if (pruned.length === 0) return 'No output to prune.\n';
    const rows = pruned.map((one) => [oneLine(one.tool, 40), one.tokens, oneLine(one.call)] as const);
    return `${dry_run ? 'Would prune' : 'Pruned'} ${plural(pruned.length, 'output')}: ${fromTo(tokens_before, tokens_after)}\n${table(rows, theme).join('\n')}\n`;
  },
  problems: ({ warnings }) => warnings,
  hints: ({ pruned, dry_run }) => (pruned.length > 0 && !dry_run ? ['Bring them back with: ctx context restore'] : []),
});

const restoreCommand = defineCommand<Record<never, never>, RestoreResult>({
  name: 'context restore',
  summary: 'bring pruned outputs back into the view of the model',
  examples: [['ctx context restore', 'see every output again']],
  exits: [[1, 'no output is pruned'], ...STORE_EXITS],
  mutates: true,
  input: (z) => z.object({}),
  run: (app) => restoreOutputs(app.repository()),
  render: ({ restored }) => `${plural(restored.length, 'output')} in view again.\n`,
});

export const contextCommands: readonly Command[] = [
  contextCommand,
  compactCommand,
  uncompactCommand,
  pruneCommand,
  restoreCommand,
];
