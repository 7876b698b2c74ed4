/** `ctx log`. */

import { commitDiffs, type FileDiff } from '../../app/diff.ts';
import { type LogEntry, type LogOptions, readLog } from '../../app/log.ts';
import { isCommitTypeKind, typeOptions } from '../../core/commit-types/table.ts';
import { CtxError } from '../../core/errors.ts';
import { localDay } from '../../core/listing/day.ts';
import { linesOf, oneLine, plural } from '../../core/text.ts';
import { truncated } from '../frame/columns.ts';
import { type App, defineCommand } from '../frame/command.ts';
import { Graph } from '../frame/graph.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';
import { kindWords, localTime, shortOid, stateLine, typeWords } from '../frame/words.ts';
import { pathSelected, renderFile, statLines } from './diff.ts';

interface Input {
  revision?: string | undefined;
  max_count?: number | undefined;
  type?: string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  path?: string | undefined;
  grep?: string | undefined;
  ignore_case?: boolean | undefined;
  author?: string | undefined;
  agent?: string | undefined;
  all?: boolean | undefined;
  oneline?: boolean | undefined;
  graph?: boolean | undefined;
  stat?: boolean | undefined;
  patch?: boolean | undefined;
}

/** An entry; with `--stat` or `--patch` with the files that it changed. */
type Line = LogEntry & { paths?: string[]; files?: FileDiff[] };

type LogResult = Iterable<Line>;

function pattern(text: string | undefined, ignoreCase: boolean | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, ignoreCase ? 'iu' : 'u');
  } catch {
    throw new CtxError('usage', `--grep is not a regular expression: ${text}`, {
      hint: 'Put a \\ before characters that have a meaning.',
    });
  }
}

async function read(app: App, input: Input): Promise<LogResult> {
  const repository = app.repository();
  const options: LogOptions = {
    revision: input.revision,
    limit: input.max_count,
    types: input.type?.map((type) => typeOptions().get(type.toLowerCase()) ?? type),
    since: await moment('since', input.since),
    until: await moment('until', input.until),
    path: input.path === undefined ? undefined : pathSelected(app, input.path),
    grep: pattern(input.grep, input.ignore_case),
    author: input.author ?? input.agent,
    all: input.all,
    topological: input.graph,
    catalog: { warn: app.remark, progress: app.progress },
  };
  const diffOf = input.stat || input.patch ? await commitDiffs(repository) : null;
  const withFiles = (entry: LogEntry): Line => {
    if (!diffOf) return entry;
    const files = entry.commit_type.kind === 'Open' ? [] : diffOf(entry.oid);
    return { ...entry, paths: files.map((file) => file.path), files };
  };
  return {
    *[Symbol.iterator]() {
      for (const entry of readLog(repository, options)) yield withFiles(entry);
    },
  };
}

/** Returns the files of an entry as `--stat` and `--patch` show them. */
function filesText(files: readonly FileDiff[] | undefined, theme: Theme, { stat, patch }: Input): string {
  if (!files || files.length === 0) return '';
  const text = stat ? statLines(files, theme) : '';
  return patch ? `${text}${stat ? '\n' : ''}${files.map((file) => renderFile(file, theme)).join('')}` : text;
}

/** Says of which session it is a branch, and at which message, or which session started it. */
const parentLine = ({ parent_session_id: parent, parent_message_id: message }: Line): string =>
  message === null ? `Parent:  ${parent}` : `Branch:  of ${parent}, at ${oneLine(message)}`;

function wholeEntry(entry: Line, theme: Theme, input: Input): string {
  const lines = [
    `${theme.warn(`commit ${entry.oid}`)} (${typeWords(entry.commit_type)})`,
    `Agent:   ${oneLine(entry.author)}`,
    `Date:    ${localTime(entry.last_activity)}`,
    `Session: ${entry.session_id ?? '-'} (${plural(entry.step_count, 'step')}, ${plural(entry.files_changed, 'file')} changed)`,
  ];
  if (entry.parent_session_id) lines.push(parentLine(entry));
  if (entry.session_state) lines.push(`State:   ${stateLine(entry.session_state, theme)}`);
  lines.push('', ...linesOf(entry.message).map((line) => `    ${line}`));
  if (oneLine(entry.message) !== oneLine(entry.task_description))
    lines.push('', `    Task: ${oneLine(entry.task_description)}`);
  const files = filesText(entry.files, theme, input);
  return `${lines.join('\n')}\n${files && `\n${files}`}`;
}

/** Returns one line: id, day, the ending if it is not Normal, and the title. */
function shortEntry(entry: Line, theme: Theme, input: Input, room: number | null): string {
  const ending = entry.commit_type.kind === 'Normal' ? '' : `${kindWords(entry.commit_type)} `;
  const before = `${shortOid(entry.oid)} ${localDay(entry.last_activity)} ${ending}`;
  const branch = entry.parent_message_id === null ? '' : `(branch of ${entry.parent_session_id?.slice(-6)}) `;
  const title = truncated(`${branch}${entry.title}`, room === null ? null : Math.max(0, room - before.length));
  const line = `${theme.warn(shortOid(entry.oid))} ${theme.faint(localDay(entry.last_activity))} ${theme.accent(ending)}${title}`;
  return `${line.trimEnd()}\n${filesText(entry.files, theme, input)}`;
}

function* render(result: LogResult, theme: Theme, input: Input): Generator<string> {
  const graph = input.graph ? new Graph(theme) : null;
  const columns = theme.columns();
  let any = false;
  for (const entry of result) {
    if (any && !input.oneline) yield graph ? graph.between() : '\n';
    any = true;
    const room = columns === null ? null : columns - (graph?.width ?? 0);
    const text = input.oneline ? shortEntry(entry, theme, input, room) : wholeEntry(entry, theme, input);
    yield graph ? graph.draw(entry, text) : text;
  }
  if (!any) yield 'No commit to show.\n';
}

export const logCommand = defineCommand<Input, LogResult>({
  name: 'log',
  summary: 'show the history: one commit a session',
  arguments: [
    { name: 'revision', description: 'where to begin (default: HEAD)', optional: true, completes: 'sessions' },
  ],
  options: [
    {
      flags: '-n, --max-count <number>',
      description: 'show at most so many; -3 for -n 3',
      kind: 'integer',
      digits: true,
    },
    { flags: '--oneline', description: 'one line a commit' },
    { flags: '--graph', description: 'draw how commits follow each other, in that order' },
    { flags: '--all', description: 'with the open sessions' },
    { flags: '--stat', description: 'with how many lines changed in which file' },
    { flags: '-p, --patch', description: 'with what changed in each file' },
    { flags: '--since <time>', description: 'only work from then on: a date, a time, yesterday, 2 weeks ago' },
    { flags: '--until <time>', description: 'only work up to then' },
    { flags: '--author <name>', description: 'only commits of an agent with this in its name' },
    { flags: '--agent <name>', description: 'the same as --author', completes: 'agents' },
    {
      flags: '--type <type>',
      description: 'only these types: normal, abandoned, stale, interrupted',
      many: true,
      completes: [...typeOptions().keys()],
    },
    { flags: '--path <path>', description: 'only commits in which a file at or below it changed', completes: 'files' },
    { flags: '--grep <pattern>', description: 'only commits whose message, task or title matches' },
    { flags: '-i, --ignore-case', description: 'with --grep: do not distinguish upper and lower case' },
  ],
  examples: [
    ['ctx log', 'the history, newest work first'],
    ['ctx log --oneline -10', 'the last ten, a line each'],
    ['ctx log -1 -p', 'the last session, with what it changed'],
    ['ctx log --type abandoned --since 30d', 'what was given up this month'],
  ],
  exits: [
    [1, 'there is no such revision'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  isPlain: ({ type }) => type === undefined,
  input: (z) =>
    z.object({
      revision: z.optional(z.string()),
      max_count: z.optional(z.int().check(z.nonnegative('-n cannot be negative'))),
      type: z.optional(
        z.array(z.string().check(z.refine(isType, '--type takes normal, abandoned, stale or interrupted'))),
      ),
      since: z.optional(z.string()),
      until: z.optional(z.string()),
      path: z.optional(z.string()),
      grep: z.optional(z.string()),
      ignore_case: z.optional(z.boolean()),
      author: z.optional(z.string()),
      agent: z.optional(z.string()),
      all: z.optional(z.boolean()),
      oneline: z.optional(z.boolean()),
      graph: z.optional(z.boolean()),
      stat: z.optional(z.boolean()),
      patch: z.optional(z.boolean()),
    }),
  run: read,
  render,
});

const isType = (type: string): boolean => typeOptions().has(type.toLowerCase()) || isCommitTypeKind(type);
