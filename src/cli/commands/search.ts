/** `ctx search`: finds sessions by what was said and done in them. */
import { type Filters, parseQuery, type SearchHit, type SearchResult, searchSessions } from '../../app/find/search.ts';
import { systemClock } from '../../app/open.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { ENDING_NAMES, SPEAKERS, STATE_NAMES } from '../../core/listing/filter-names.ts';
import { oneLine, plural } from '../../core/text.ts';
import { pad, truncated, widest } from '../frame/columns.ts';
import { defineCommand, type OptionSpec } from '../frame/command.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  words?: string | undefined;
  path?: string[] | undefined;
  agent?: string[] | undefined;
  state?: string[] | undefined;
  ending?: string[] | undefined;
  type?: string[] | undefined;
  role?: string[] | undefined;
  in?: string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
  sessions?: boolean | undefined;
}

/** The sessions that were found; what else a person reads of the search is not in the list. */
type Result = SearchHit[] & Omit<SearchResult, 'hits'>;

const FILTERS: readonly OptionSpec[] = [
  {
    flags: '--path <path>',
    description: 'only sessions that did something with this path; the same as path:…',
    many: true,
  },
  {
    flags: '--agent <name>',
    description: 'only sessions of this agent; the same as agent:…',
    many: true,
    completes: 'agents',
  },
  {
    flags: '--state <name>',
    description: 'only sessions with this state, status or ending, or open, or ended',
    many: true,
    completes: STATE_NAMES,
  },
  {
    flags: '--ending <type>',
    description: 'only sessions that ended in this way',
    many: true,
    completes: ENDING_NAMES,
  },
  { flags: '--type <type>', description: 'only sessions of this kind of work', many: true },
  {
    flags: '--role <role>',
    description: 'only what the user, or the assistant, said or did',
    many: true,
    completes: SPEAKERS,
  },
  { flags: '--in <session>', description: 'only this session', many: true },
  { flags: '--since <time>', description: 'only what was said from then on: a date, a time, yesterday, 2 weeks ago' },
  { flags: '--until <time>', description: 'only what was said up to then' },
  {
    flags: '--limit <number>',
    description: 'find at most so many (default: 10); -3 for --limit 3',
    kind: 'integer',
    digits: true,
  },
  { flags: '--sessions', description: 'one line for each session' },
];

const who = (hit: SearchHit): string => (hit.agent === null ? '-' : oneLine(hit.agent, 24));

function* render(result: Result, theme: Theme, input: Input): Generator<string> {
  const now = systemClock()();
  if (result.length === 0) yield 'Nothing found.\n';
  if (input.sessions) {
    const rows = result.map((hit) => [
      hit.short_id,
      ageInWords(hit.last_activity, now),
      who(hit),
      hit.ending ?? hit.state,
    ]);
    const widths = [0, 1, 2, 3].map((column) => widest(rows.map((row) => row[column] as string)));
    for (const [index, hit] of result.entries()) {
      const [id = '', ...others] = (rows[index] as string[]).map((cell, column) => pad(cell, widths[column] as number));
      const before = [id, ...others].join('  ').length + 2;
      const columns = theme.columns();
      const title = truncated(hit.title, columns === null ? null : Math.max(8, columns - before));
      yield `${theme.accent(id)}  ${theme.faint(others.join('  '))}  ${theme.strong(title)}\n`;
    }
    return;
  }
  let isFirst = true;
  for (const hit of result) {
    const facts = [ageInWords(hit.last_activity, now), who(hit), hit.ending ?? hit.state].join('  ');
    yield `${isFirst ? '' : '\n'}${theme.strong(hit.title || '(no title)')}\n  ${theme.accent(hit.short_id)}  ${theme.faint(facts)}\n`;
    isFirst = false;
    for (const { role, kind, text, hits } of hit.snippets ?? [])
      yield `    ${theme.faint(`${speaker(role, kind)}:`)} ${marked(text, hits, theme)}\n`;
  }
}

/** Names who said something, or what it is. */
function speaker(role: string, kind: string): string {
  if (kind === 'prompt') return 'user';
  return kind === 'answer' ? (role === 'user' ? 'user' : 'assistant') : kind;
}

/** Returns a text with the words that were found in bold. */
function marked(text: string, hits: readonly (readonly [number, number])[], theme: Theme): string {
  let out = '';
  let at = 0;
  for (const [begin, end] of hits) {
    out += text.slice(at, begin) + theme.warn(text.slice(begin, end));
    at = end;
  }
  return out + text.slice(at);
}

/** Returns what the result of a search does not say of its query: words that nobody has said, and that there was none. */
export function remarksOn({
  corrected,
  meant = [],
  isVoid = false,
}: Pick<SearchResult, 'corrected'> & Partial<SearchResult>): string[] {
  const nobody = (word: string): string => `Nobody said "${oneLine(word, 80)}"`;
  return [
    ...(isVoid ? ['Nothing to search for: give a word, with a letter or a digit in it'] : []),
    ...corrected.map(({ word, instead }) => `${nobody(word)}: showing results for ${oneLine(instead, 80)}`),
    ...meant.map(({ word, instead }) => `${nobody(word)}: did you mean ${oneLine(instead, 80)}`),
  ];
}

export const searchCommand = defineCommand<Input, Result>({
  name: 'search',
  summary: 'find sessions by what was said and done in them',
  arguments: [
    {
      name: 'words',
      description:
        'words rank; "a phrase" and +word must be there, -word must not; path: agent: state: ending: type: role: in: since: until: filter',
      rest: 'words',
      dashed: true,
      optional: true,
    },
  ],
  options: FILTERS,
  examples: [
    ['ctx search retry backoff', 'the sessions that are about it, the best first'],
    [`ctx search '"connection reset" agent:codex since:2w'`, 'a phrase, in sessions of Codex of the last two weeks'],
    ['ctx search --sessions --path src/retry.ts timeout', 'sessions that touched a file, a line each'],
  ],
  exits: [[1, 'in: names no session, or several']],
  mutates: false,
  paged: true,
  isPlain: ({ words }) => words !== undefined && words.trim() !== '',
  input: (z) =>
    z
      .object({
        words: z.optional(z.string()),
        path: z.optional(z.array(z.string())),
        agent: z.optional(z.array(z.string())),
        state: z.optional(z.array(z.string())),
        ending: z.optional(z.array(z.string())),
        type: z.optional(z.array(z.string())),
        role: z.optional(z.array(z.string())),
        in: z.optional(z.array(z.string())),
        since: z.optional(z.string()),
        until: z.optional(z.string()),
        limit: z.optional(z.int().check(z.nonnegative('--limit cannot be negative'))),
        sessions: z.optional(z.boolean()),
      })
      .check(
        z.refine(
          ({ limit: _limit, sessions: _sessions, ...asked }) =>
            Object.values(asked).some(
              (value) => value !== undefined && !(typeof value === 'string' && value.trim() === ''),
            ),
          'Give words to search for, or a filter',
        ),
      ),
  run: async (app, { words = '', limit, sessions, since, until, ...given }) => {
    const said = parseQuery(words).filters;
    const filters: Filters = {
      ...given,
      since: await moment('since', since ?? said.since),
      until: await moment('until', until ?? said.until),
    };
    const asksAgent = given.agent !== undefined || said.agent !== undefined;
    const { hits, ...rest } = searchSessions(app.repository(), words, {
      filters,
      limit,
      agents: asksAgent ? (await import('../../app/find/agent-names.ts')).AGENT_NAMES : undefined,
      sessionsOnly: sessions,
      warn: app.remark,
      progress: app.progress,
    });
    for (const [name, value] of Object.entries(rest)) Object.defineProperty(hits, name, { value });
    return hits as Result;
  },
  render,
  remarks: remarksOn,
  hints: ({ total, waiting, length, isVoid, meant }) => [
    ...(total === 0 && !isVoid && meant.length === 0
      ? ['The messages of commits are searched with: ctx log --grep <text>']
      : []),
    ...(waiting > 0 ? [`Not searched: ${plural(waiting, 'record')} of no step yet; save with: ctx flush`] : []),
    ...(total > length ? [`${plural(total - length, 'more session')} found: --limit ${total}`] : []),
  ],
});
