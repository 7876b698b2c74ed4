/** `ctx list` and `ctx stage list`: sessions, a line each. */
import { systemClock } from '../../app/open.ts';
import type { DamagedPointer } from '../../app/session/list.ts';
import { listAllSessions, listBriefly, type SessionList } from '../../app/sessions.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { namesMeant, STATE_NAMES, stateNamed } from '../../core/listing/filter-names.ts';
import type { BriefRow } from '../../core/listing/row.ts';
import { oneLine, plural } from '../../core/text.ts';
import { padded, truncated } from '../frame/columns.ts';
import { type App, type Command, defineCommand, type OptionSpec } from '../frame/command.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  open?: boolean | undefined;
  ended?: boolean | undefined;
  state?: string[] | undefined;
  agent?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
  tree?: boolean | undefined;
  ephemeral?: boolean | undefined;
  wide?: boolean | undefined;
}

/** Sessions as a list shows them: with `--json` only the rows. */
type Result = (BriefRow | DamagedPointer)[] & { folded: number; treeLine: string };

const asResult = ({ sessions, damaged, folded }: SessionList<BriefRow>, { ephemeral }: Input): Result =>
  Object.defineProperties([...sessions, ...damaged], {
    folded: { value: folded },
    treeLine: { value: `ctx list --tree${ephemeral ? ' --ephemeral' : ''}` },
  }) as Result;

async function run(app: App, input: Input): Promise<Result> {
  const { since, until, ...options } = input;
  const list = app.json ? listAllSessions : listBriefly;
  return asResult(
    list(app.repository(), {
      ...options,
      states: input.state && namesMeant('--state', input.state, stateNamed, STATE_NAMES),
      agent: input.agent && (await import('../../app/find/agent-names.ts')).agentAsked(app.repository(), input.agent),
      since: await moment('since', since),
      until: await moment('until', until),
      // A program gets every session.
      topOnly: !input.tree && !app.json,
      catalog: { warn: app.remark, progress: app.progress },
    }),
    input,
  );
}

/** Puts each session below the one that started it, each level in its order. */
function inTree(rows: readonly BriefRow[]): [row: BriefRow, depth: number][] {
  const ids = new Set(rows.map((row) => row.session_id));
  const parentOf = ({ parent_session_id: parent }: BriefRow): string =>
    parent !== null && ids.has(parent) ? parent : '';
  const children = new Map<string, BriefRow[]>();
  for (const row of rows) {
    const siblings = children.get(parentOf(row));
    if (siblings) siblings.push(row);
    else children.set(parentOf(row), [row]);
  }
  const below = (parent: string, depth: number): [BriefRow, number][] =>
    (children.get(parent) ?? []).flatMap((row) => [[row, depth], ...below(row.session_id, depth + 1)]);
  return below('', 0);
}

/** The columns of the list before the title, each with a text for every row. */
interface Columns {
  ids: string[];
  ages: string[];
  agents: string[];
  states: string[];
}

function columnsOf(rows: readonly BriefRow[], isNarrow: boolean): Columns {
  const now = systemClock()();
  const stateOf = ({ ending, state, status }: BriefRow): string =>
    `${ending ?? state}${status === 'paused' ? ', paused' : ''}`;
  const ages = rows.map(({ last_activity }) => ageInWords(last_activity, now));
  const states = rows.map(stateOf);
  return {
    ids: padded(rows.map((row) => row.short_id)),
    // On a narrow terminal the title needs the room that the words of an age and of an ending take.
    ages: padded(isNarrow ? ages.map(shortAge) : ages),
    agents: padded(rows.map(({ agent }) => (agent === null ? '-' : oneLine(agent, 24)))),
    states: padded(isNarrow ? states.map(shortEnding) : states),
  };
}

function* render(result: readonly (BriefRow | DamagedPointer)[], theme: Theme, input: Input): Generator<string> {
  const listed = result.filter((one): one is BriefRow => 'session_id' in one);
  const tree = input.tree ? inTree(listed) : null;
  const rows = tree?.map(([row]) => row) ?? listed;
  const columns = input.wide ? null : theme.columns();
  const { ids, ages, agents, states } = columnsOf(rows, columns !== null && columns < NARROW);
  let text = '';
  for (const [place, row] of rows.entries()) {
    const mark = 'current' in row && row.current ? '*' : ' ';
    const [id, age, agent, state] = [ids[place], ages[place], agents[place], states[place]] as string[] as Line;
    const title = `${'  '.repeat(tree?.[place]?.[1] ?? 0)}${row.title}`;
    const before = `${mark} ${id}  ${age}  ${agent}  ${state}  `;
    const room = columns === null ? null : columns - before.length;
    text +=
      room === null || room >= LEAST_TITLE
        ? `${theme.good(mark)} ${theme.accent(id)}  ${theme.faint(age)}  ${agent}  ${stateColour(row, theme)(state)}  ${theme.strong(truncated(title, room))}\n`
        : `${truncated(before + title, columns)}\n`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
  for (const one of result) if ('damaged' in one) yield damagedLines(one, theme);
  if (result.length === 0) yield nothingListed(input);
}

/** The texts of a row in the columns before the title. */
type Line = [id: string, age: string, agent: string, state: string];

/** Says that no session is listed, and how there would be one. */
function nothingListed({ open, ended, state, agent, since, until, limit }: Input): string {
  if (open) return 'No session is open.\n';
  if ([ended, state, agent, since, until, limit].some((filter) => filter !== undefined)) return 'No session matches.\n';
  return 'No session yet. Begin one with: ctx start "<task>"; read what agents have kept with: ctx ingest <folder>\n';
}

/** Characters that are printed together. */
const PIECE = 8192;

/** Columns below which ages and endings are short. */
const NARROW = 100;

/** Shortens an age: `2 hours ago` is `2h`, `3 months ago` is `3mo`. */
const shortAge = (age: string): string => age.replace(/^(\d+) (mo|.)\w* ago$/, '$1$2').replace('just now', 'now');

/** Shortens the ending of a session that was saved by itself: `StaleAutoCompact` is `Stale`, `InterruptedByNewTask` is `NewTask`. */
const shortEnding = (state: string): string =>
  state.replace(/^StaleAutoCompact\b/, 'Stale').replace(/^InterruptedByNewTask\b/, 'NewTask');

/** Fewest columns that a title is worth; a narrower terminal gets the beginning of the line. */
const LEAST_TITLE = 8;

function stateColour({ open, state, status }: BriefRow, theme: Theme): (text: string) => string {
  if (!open) return status === 'paused' ? theme.warn : theme.faint;
  return state === 'Running' ? theme.good : theme.warn;
}

function damagedLines(one: DamagedPointer, theme: Theme): string {
  const hint = one.hint === null ? '' : `    ${one.hint}\n`;
  return `${theme.bad('damaged')} ${theme.strong(one.ref)}: ${oneLine(one.damaged, 500)}\n${hint}`;
}

const FILTERS: readonly OptionSpec[] = [
  {
    flags: '--state <name>',
    description: 'only sessions with this state, status or ending, or open, or ended',
    many: true,
    completes: STATE_NAMES,
  },
  { flags: '--agent <name>', description: 'only sessions of this agent', completes: 'agents' },
  {
    flags: '--since <time>',
    description: 'only sessions worked on since then: a date, a time, yesterday, 2 weeks ago',
  },
  { flags: '--until <time>', description: 'only sessions last worked on before then' },
  { flags: '--limit <number>', description: 'list at most so many; -3 for --limit 3', kind: 'integer', digits: true },
  { flags: '--tree', description: 'with branches and the sessions of sub-agents, below the session that each is of' },
  { flags: '--ephemeral', description: 'with branches that were begun with --ephemeral' },
  { flags: '--wide', description: 'do not cut lines to the width of the terminal' },
];

const shared = {
  exits: [[5, 'a session or STAGE is damaged; the others are listed']] as const,
  mutates: false,
  paged: true,
  isPlain: ({ open, ended }: Input): boolean => !(open && ended),
  input: ((z) =>
    z
      .object({
        open: z.optional(z.boolean()),
        ended: z.optional(z.boolean()),
        state: z.optional(z.array(z.string())),
        agent: z.optional(z.string()),
        since: z.optional(z.string()),
        until: z.optional(z.string()),
        limit: z.optional(z.int().check(z.nonnegative('--limit cannot be negative'))),
        tree: z.optional(z.boolean()),
        ephemeral: z.optional(z.boolean()),
        wide: z.optional(z.boolean()),
      })
      .check(
        z.refine((input) => !(input.open && input.ended), '--open and --ended exclude each other'),
      )) satisfies Command<Input>['input'],
  exit: (result: Result): number => (result.some((one) => 'damaged' in one) ? 5 : 0),
  hints: (result: Result): readonly string[] =>
    result.folded > 0
      ? [
          `${plural(result.folded, 'branch or session of a sub-agent', 'branches and sessions of sub-agents')} not shown: ${result.treeLine}`,
        ]
      : [],
};

export const listCommands: readonly Command[] = [
  defineCommand<Input, Result>({
    ...shared,
    name: 'list',
    summary: 'list the sessions, newest work first',
    options: [
      { flags: '--open', description: 'only open sessions' },
      { flags: '--ended', description: 'only ended sessions' },
      ...FILTERS,
    ],
    examples: [
      ['ctx list', 'every session, the current one marked'],
      ['ctx list --agent codex --since "2 weeks ago"', 'what Codex worked on of late'],
      ['ctx list --state AwaitingUser', 'what waits for an answer'],
    ],
    run,
    render,
  }),
  defineCommand<Input, Result>({
    ...shared,
    name: 'stage list',
    summary: 'list the open sessions: ctx list --open',
    options: FILTERS,
    examples: [['ctx stage list', 'the open sessions, the current one marked']],
    run: (app, input) => run(app, { ...input, open: true }),
    render: (result, theme, input) => render(result, theme, { ...input, open: true }),
  }),
];
