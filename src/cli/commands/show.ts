/** `ctx show`. */
import { messageShown, type ShownMessage } from '../../app/conversation/show.ts';
import { fileNamed, type ShownFile } from '../../app/files.ts';
import { type ShownMoment, showMoment } from '../../app/find/moment.ts';
import { defaultRevision, type Shown, type ShownStep, showRevision } from '../../app/show.ts';
import { CtxError } from '../../core/errors.ts';
import { localDay } from '../../core/listing/day.ts';
import { recordLine } from '../../core/records/table.ts';
import { bytesInWords, oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { localTime, redactedWords, shortOid, stateLine, typeWords } from '../frame/words.ts';
import { renderMessages } from './messages.ts';

interface Input {
  revision?: string | undefined;
  steps?: boolean | undefined;
  at?: string | undefined;
}

function renderStep(step: ShownStep, theme: Theme): string {
  const head = `${theme.warn(`step ${step.step}`)} ${shortOid(step.oid)} ${localTime(step.committed_at)} ${stateLine(step.session_state, theme)}`;
  return `\n${head}\n${step.observations.map((record) => `  ${recordLine(record)}\n`).join('')}`;
}

function* render(shown: Shown, theme: Theme, withSteps: boolean): Generator<string> {
  const type = shown.commit_type ? ` (${typeWords(shown.commit_type)})` : '';
  yield `${theme.warn(`${shown.kind === 'canonical' ? 'commit' : shown.kind} ${shown.oid}`)}${type}\n`;
  yield `Date:    ${localTime(shown.last_activity ?? shown.committed_at)}\n`;
  if (shown.kind === 'canonical') yield `Saved:   ${localTime(shown.committed_at)}\n`;
  if (shown.session_id) yield `Session: ${shown.session_id} (${plural(shown.step_count, 'step')})\n`;
  if (shown.parent_session_id) yield `Parent:  ${shown.parent_session_id}\n`;
  if (shown.agent) yield `Agent:   ${oneLine(shown.agent)}${shown.model ? `, ${oneLine(shown.model)}` : ''}\n`;
  if (shown.session_state) yield `State:   ${stateLine(shown.session_state, theme)}\n`;
  if (shown.title && shown.title !== oneLine(shown.task_description, 500)) yield `Title:   ${oneLine(shown.title)}\n`;
  if (shown.status === 'paused') yield `Status:  ${theme.warn('paused')}\n`;
  if (shown.task_description) yield `Task:    ${theme.strong(oneLine(shown.task_description, 500))}\n`;
  if (shown.forgotten_at !== null) yield `Forgotten: on ${localDay(shown.forgotten_at)}\n`;
  if (Object.keys(shown.redacted).length > 0) yield `Redacted: ${redactedWords(shown.redacted)}\n`;
  if (shown.summary) yield `\n${shown.summary}`;
  if (!withSteps) {
    if (shown.step_count > 0) yield `\nIts steps: ctx show ${shown.session_id} --steps\n`;
    return;
  }
  for (const step of shown.steps) yield renderStep(step, theme);
}

export const showCommand = defineCommand<Input, Shown | ShownFile | ShownMoment | ShownMessage>({
  name: 'show',
  summary: 'show one commit, session, step, file or message',
  arguments: [
    {
      name: 'revision',
      description:
        'HEAD, HEAD~2, main, STAGE, a session id or an object id (default: the active session, else HEAD); <revision>:<path> prints a file; a message of the active session by its id',
      optional: true,
      completes: 'sessions',
    },
  ],
  options: [
    { flags: '--steps', description: 'with every step and its records (always so with --json)' },
    { flags: '--at <message>', description: 'open a session at a message that ctx search has found' },
  ],
  examples: [
    ['ctx show HEAD', 'the last session that was saved'],
    ['ctx show STAGE --steps', 'the active session, step by step'],
    ['ctx show HEAD:src/retry.ts', 'a file as the last session left it'],
    ['ctx show 6b9d96 --at 4b037dd2', 'a session from one of its messages on'],
  ],
  verbatim: (shown) => ('content' in shown ? shown.content : null),
  exits: [
    [1, 'there is no such revision'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  input: (z) =>
    z.object({ revision: z.optional(z.string()), steps: z.optional(z.boolean()), at: z.optional(z.string()) }),
  run: (app, { revision, at }) => {
    const repository = app.repository();
    if (at !== undefined) return showMoment(repository, revision ?? defaultRevision(repository), at);
    const file = revision === undefined ? null : fileNamed(repository, revision, app.directory);
    if (file) return file;
    try {
      return showRevision(repository, revision ?? defaultRevision(repository));
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'not_found' || revision === undefined) throw error;
      const message = messageShown(repository, revision);
      if (!message) throw error;
      return message;
    }
  },
  render: (shown, theme, input) => {
    if ('content' in shown)
      return shown.content ?? `${shown.path} is binary (${bytesInWords(shown.bytes)}): ctx restore writes it.\n`;
    if (shown.kind === 'message') return renderMessages([shown.message], theme);
    if (shown.kind !== 'moment') return render(shown, theme, input.steps === true || shown.kind === 'step');
    return shown.step ? renderStep(shown.step, theme).trimStart() : renderMessages(shown.messages, theme);
  },
});
