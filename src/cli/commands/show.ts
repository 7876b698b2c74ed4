/** `ctx show`. */
import { fileNamed, type ShownFile } from '../../app/files.ts';
import { defaultRevision, type Shown, type ShownStep, showRevision } from '../../app/show.ts';
import { isStub } from '../../core/externalise.ts';
import type { StoredRecord } from '../../core/record.ts';
import { oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { redactedWords, shortOid, size, stateLine, typeWords } from '../frame/words.ts';

interface Input {
  revision?: string | undefined;
  steps?: boolean | undefined;
}

/** A record in one line. */
function recordLine(record: StoredRecord): string {
  const exit = typeof record.exit_code === 'number' ? ` (exit ${record.exit_code})` : '';
  if (record.kind === 'forgotten') return `forgotten: ${tombstoneWords(record)}`;
  return `${record.kind} ${wordsOf(record)}${exit}`.trimEnd();
}

/** Says what a tombstone replaces, and since when. */
function tombstoneWords({ was, steps, records, forgotten_at }: StoredRecord): string {
  const kind = typeof was === 'string' ? oneLine(was) : 'record';
  const size =
    typeof steps === 'number' && typeof records === 'number'
      ? ` of ${plural(steps, 'step')} and ${plural(records, 'record')}`
      : '';
  const when = typeof forgotten_at === 'number' ? `, on ${showDay(forgotten_at)}` : '';
  return `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}${size}${when}`;
}

const showDay = (at: number): string => showTime(at).slice(0, 10);

function wordsOf(record: StoredRecord): string {
  if (record.kind === 'relation') return oneLine(`${record.from} ${record.label} ${record.to}`);
  if (record.kind === 'usage') {
    return Object.entries(record.usage ?? {})
      .map(([kind, tokens]) => `${tokens} ${kind}`)
      .join(', ');
  }
  // What raised a question of ctx's stands nowhere else, where the question was never answered.
  if (record.kind === 'choice') return [record['choice'], textLine(record.message)].filter(Boolean).join(': ');
  const text = record.content ?? record.path ?? record.command ?? record.by ?? record.op;
  return text === undefined ? messageLine(record) : textLine(text);
}

function textLine(text: unknown): string {
  if (text === undefined) return '';
  // A text that is too long to be held leaves its beginning behind.
  if (isStub(text)) return `${oneLine(text.preview)}… (${size(text.bytes)})`;
  return oneLine(typeof text === 'string' ? text : JSON.stringify(text));
}

function messageLine(record: StoredRecord): string {
  const message = record.message as
    | { role?: string; parts?: { type: string; text?: string; toolName?: string }[] }
    | undefined;
  if (!message?.parts) return typeof record.type === 'string' ? record.type : '';
  const parts = message.parts.map((part) => part.text ?? part.toolName ?? part.type);
  return `${message.role}: ${oneLine(parts.join(' · '), 160)}`;
}

function renderStep(step: ShownStep, theme: Theme): string {
  const head = `${theme.warn(`step ${step.step}`)} ${shortOid(step.oid)} ${showTime(step.committed_at)} ${stateLine(step.session_state, theme)}`;
  return `\n${head}\n${step.observations.map((record) => `  ${recordLine(record)}\n`).join('')}`;
}

function* render(shown: Shown, theme: Theme, withSteps: boolean): Generator<string> {
  const type = shown.commit_type ? ` (${typeWords(shown.commit_type)})` : '';
  yield `${theme.warn(`${shown.kind === 'canonical' ? 'commit' : shown.kind} ${shown.oid}`)}${type}\n`;
  yield `Date:    ${showTime(shown.committed_at)}\n`;
  if (shown.session_id) yield `Session: ${shown.session_id} (${plural(shown.step_count, 'step')})\n`;
  if (shown.parent_session_id) yield `Parent:  ${shown.parent_session_id}\n`;
  if (shown.agent) yield `Agent:   ${oneLine(shown.agent)}${shown.model ? `, ${oneLine(shown.model)}` : ''}\n`;
  if (shown.session_state) yield `State:   ${stateLine(shown.session_state, theme)}\n`;
  if (shown.task_description) yield `Task:    ${theme.strong(oneLine(shown.task_description, 500))}\n`;
  if (shown.forgotten_at !== null) yield `Forgotten: on ${showDay(shown.forgotten_at)}\n`;
  if (Object.keys(shown.redacted).length > 0) yield `Redacted: ${redactedWords(shown.redacted)}\n`;
  if (shown.summary) yield `\n${shown.summary}`;
  if (!withSteps) {
    if (shown.step_count > 0) yield `\nIts steps: ctx show ${shown.session_id} --steps\n`;
    return;
  }
  for (const step of shown.steps) yield renderStep(step, theme);
}

export const showCommand = defineCommand<Input, Shown | ShownFile>({
  name: 'show',
  summary: 'show one commit, session, step or file',
  arguments: [
    {
      name: 'revision',
      description:
        'HEAD, HEAD~2, main, STAGE, a session id or an object id (default: the active session, else HEAD); <revision>:<path> prints a file',
      optional: true,
    },
  ],
  options: [{ flags: '--steps', description: 'with every step and its records (always so with --json)' }],
  examples: [
    ['ctx show HEAD', 'the last session that was saved'],
    ['ctx show STAGE --steps', 'the active session, step by step'],
    ['ctx show HEAD:src/retry.ts', 'a file as the last session left it'],
  ],
  verbatim: (shown) => ('content' in shown ? shown.content : null),
  exits: [
    [1, 'there is no such revision'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  input: (z) => z.object({ revision: z.optional(z.string()), steps: z.optional(z.boolean()) }),
  run: (app, { revision }) => {
    const repository = app.repository();
    const file = revision === undefined ? null : fileNamed(repository, revision, app.directory);
    return file ?? showRevision(repository, revision ?? defaultRevision(repository));
  },
  render: (shown, theme, input) =>
    'content' in shown
      ? (shown.content ?? `${shown.path} is binary (${size(shown.bytes)}): ctx restore writes it.\n`)
      : render(shown, theme, input.steps === true || shown.kind === 'step'),
});
