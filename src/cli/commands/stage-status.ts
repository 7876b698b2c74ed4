/** `ctx stage status`. */
import { type ActiveStatus, type InactiveStatus, type Status, sessionStatus } from '../../app/session/status.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { commandOf } from '../../core/state.ts';
import { durationInWords, oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { localTime, redactedWords, shortOid, stateLine } from '../frame/words.ts';

interface Input {
  exit_code?: boolean | undefined;
}

function render(status: Status, theme: Theme): string {
  if (!status.active) {
    const open = plural(status.open_sessions, 'session');
    const others = status.open_sessions > 0 ? `${open} open: ctx list --open, then ctx switch <session>\n` : '';
    const forgotten = forgottenLine(status);
    const { choice, answer_with } = status;
    const asked = choice ? `\n${theme.warn(choice.message)}\nAnswer with: ${answer_with}\n\n` : '';
    return `No session is active.\n${asked}${forgotten}${others}Begin one with: ctx start "<task>"\n${hookLine(status, theme)}`;
  }
  const waiting = status.pending_observations;
  const until = status.choice ? 'for the answer' : 'ctx flush';
  const lines = [
    `Session  ${status.session_id}`,
    ...nameLines(status, theme),
    `State    ${stateLine(status.session_state, theme)}`,
    ...(status.status === 'paused' ? [pausedLine(status, theme)] : []),
    `Head     ${theme.accent(shortOid(status.staging_head))} (step ${status.step}), base ${shortOid(status.base)}`,
    `Unsaved  ${waiting === 0 ? 'nothing' : `${plural(waiting, 'record')} (${until})`}`,
    `Files    ${status.files_touched} touched`,
    ...(Object.keys(status.redacted).length > 0 ? [`Redacted ${redactedWords(status.redacted)}`] : []),
    `Started  ${localTime(status.started_at)}`,
    `Last     ${localTime(status.last_activity)} (${ageInWords(status.last_activity, status.last_activity + status.idle_secs)})`,
    `Next     ${status.allowed.map(commandOf).join(', ')}`,
  ];
  if (status.choice) lines.push('', theme.warn(status.choice.message), 'Answer with: ctx choose <A|B|continue|fresh>');
  else if (status.staleness === 'ask') {
    lines.push('', theme.warn(`Idle for ${durationInWords(status.idle_secs)}. See its state with: ctx recover`));
    lines.push('To save it and begin something new: ctx start --replace "<task>"');
  } else if (status.staleness === 'auto_compact') {
    lines.push('', theme.warn(`Idle for ${durationInWords(status.idle_secs)}: the next message or start saves it.`));
    lines.push('To save it now: ctx stage cleanup; to continue it: record something, as in ctx observe note "<text>"');
  }
  return `${lines.join('\n')}\n${hookLine(status, theme)}`;
}

/** Returns the task, after the title if the title is not the task itself or its beginning. */
function nameLines({ title, task_description }: Extract<Status, { active: true }>, theme: Theme): string[] {
  const task = oneLine(task_description, 200);
  if (task.startsWith(title.replace(/…$/, ''))) return [`Task     ${theme.strong(task)}`];
  return [`Title    ${theme.strong(title)}`, `Task     ${task}`];
}

/** Says that the session is paused, and how to continue. */
function pausedLine({ idle_secs }: ActiveStatus, theme: Theme): string {
  return theme.warn(`Status   paused: nothing was done for ${durationInWords(idle_secs)}; continue: ctx resume`);
}

/** Says in one line why the turns of an open conversation begin no session. */
function forgottenLine({ forgotten }: InactiveStatus): string {
  const last = forgotten.at(-1);
  if (!last) return '';
  const agents = [...new Set(forgotten.map(({ agent }) => agent ?? 'an agent'))].join(' and ');
  const at = showTime(last.forgotten_at);
  return forgotten.length === 1
    ? `The conversation of ${agents} was forgotten at ${at}: its turns are not kept. A new conversation is.\n`
    : `${forgotten.length} conversations of ${agents} were forgotten, the last at ${at}: their turns are not kept. A new conversation is.\n`;
}

/** Reports the errors of hooks, in one line. */
function hookLine({ hook_errors: errors }: Status, theme: Theme): string {
  if (!errors) return '';
  const { count, last, unreadable } = errors;
  const told = last
    ? `, the last at ${showTime(last.at)}, ${oneLine(`${last.agent} ${last.event}`)}: ${oneLine(last.message, 120)}`
    : '';
  const torn = unreadable > 0 ? `; hook-errors.jsonl is damaged, see: ctx fsck` : '';
  return `${theme.warn(`Hooks    ${plural(count, 'failure')}${told}${torn}`)}\n`;
}

export const statusCommand = defineCommand<Input, Status>({
  name: 'stage status',
  alias: 'status',
  summary: 'show the active session',
  options: [{ flags: '--exit-code', description: 'exit with 1 if no session is active' }],
  examples: [
    ['ctx stage status', 'show the active session'],
    ['ctx stage status --json', 'the same for a program'],
    ['ctx stage status --exit-code --quiet >/dev/null', 'ask in a script whether a session is active'],
  ],
  exits: [
    [1, 'no session is active (with --exit-code), or there is no store'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  input: (z) => z.object({ exit_code: z.optional(z.boolean()) }),
  run: (app) => sessionStatus(app.repository()),
  render,
  exit: (status, input) => (input.exit_code && !status.active ? 1 : 0),
});
