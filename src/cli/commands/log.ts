/** `ctx log`. */

import { resolve } from 'node:path';
import { changedPaths, type LogEntry, type LogOptions, readLog } from '../../app/log.ts';
import { isCommitTypeKind, typeOptions } from '../../core/commit-types/table.ts';
import { CtxError } from '../../core/errors.ts';
import { normalisePath, recordPath } from '../../core/file-path.ts';
import { linesOf, oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { type App, defineCommand } from '../frame/command.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';
import { kindWords, shortOid, stateLine, typeWords } from '../frame/words.ts';

interface Input {
  revision?: string | undefined;
  max_count?: number | undefined;
  type?: string[] | undefined;
  since?: string | undefined;
  until?: string | undefined;
  path?: string | undefined;
  grep?: string | undefined;
  oneline?: boolean | undefined;
  stat?: boolean | undefined;
}

/** A path as records name it; empty for the project itself, below which everything lies. */
function belowProject(app: App, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const { project } = app.repository();
  const named = recordPath(resolve(app.directory, path), project);
  return named === normalisePath(project) ? '' : named;
}

/** An entry, with the paths it changed where they were asked for. */
type Line = LogEntry & { paths?: string[] };

type LogResult = Iterable<Line>;

function pattern(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, 'u');
  } catch {
    throw new CtxError('usage', `--grep is not a regular expression: ${text}`, {
      hint: 'Put a \\ before characters that have a meaning.',
    });
  }
}

function read(app: App, input: Input): LogResult {
  const repository = app.repository();
  const options: LogOptions = {
    revision: input.revision,
    limit: input.max_count,
    types: input.type?.map((type) => typeOptions().get(type.toLowerCase()) ?? type),
    since: moment('since', input.since),
    until: moment('until', input.until),
    path: belowProject(app, input.path),
    grep: pattern(input.grep),
  };
  return {
    *[Symbol.iterator]() {
      for (const entry of readLog(repository, options))
        yield input.stat ? { ...entry, paths: changedPaths(repository, entry.oid) } : entry;
    },
  };
}

function renderEntry(entry: Line, theme: Theme): string {
  const lines = [
    `${theme.warn(`commit ${entry.oid}`)} (${typeWords(entry.commit_type)})`,
    `Date:    ${showTime(entry.committed_at)}`,
    `Session: ${entry.session_id ?? '-'} (${plural(entry.step_count, 'step')}, ${plural(entry.files_changed, 'file')} changed)`,
  ];
  if (entry.parent_session_id) lines.push(`Parent:  ${entry.parent_session_id}`);
  if (entry.session_state) lines.push(`State:   ${stateLine(entry.session_state, theme)}`);
  lines.push('', ...linesOf(entry.message).map((line) => `    ${line}`));
  if (oneLine(entry.message) !== oneLine(entry.task_description))
    lines.push('', `    Task: ${oneLine(entry.task_description)}`);
  if (entry.paths) lines.push('', ...entry.paths.map((path) => ` ${path}`));
  return `${lines.join('\n')}\n\n`;
}

function* render(result: LogResult, theme: Theme, oneline: boolean): Generator<string> {
  let any = false;
  for (const entry of result) {
    any = true;
    yield oneline
      ? `${theme.warn(shortOid(entry.oid))} ${theme.accent(kindWords(entry.commit_type))} ${oneLine(entry.message)}\n${(entry.paths ?? []).map((path) => ` ${path}\n`).join('')}`
      : renderEntry(entry, theme);
  }
  if (!any) yield 'No commit to show.\n';
}

export const logCommand = defineCommand<Input, LogResult>({
  name: 'log',
  summary: 'show the history: one commit a session',
  arguments: [{ name: 'revision', description: 'where to begin (default: HEAD)', optional: true }],
  options: [
    { flags: '-n, --max-count <number>', description: 'show at most so many', kind: 'integer' },
    { flags: '--type <type>', description: 'only these types: normal, abandoned, stale, interrupted', many: true },
    { flags: '--since <time>', description: 'only commits from then on: a date, a time, or 7d' },
    { flags: '--until <time>', description: 'only commits up to then' },
    { flags: '--path <path>', description: 'only commits in which a file at or below it changed' },
    { flags: '--grep <pattern>', description: 'only commits whose message or task matches' },
    { flags: '--oneline', description: 'one line a commit' },
    { flags: '--stat', description: 'with the files that changed' },
  ],
  examples: [
    ['ctx log', 'the history, newest first'],
    ['ctx log --oneline -n 10', 'the last ten, a line each'],
    ['ctx log --type abandoned --since 30d', 'what was given up this month'],
  ],
  exits: [
    [1, 'there is no such revision'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
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
      oneline: z.optional(z.boolean()),
      stat: z.optional(z.boolean()),
    }),
  run: read,
  render: (result, theme, input) => render(result, theme, input.oneline === true),
});

const isType = (type: string): boolean => typeOptions().has(type.toLowerCase()) || isCommitTypeKind(type);
