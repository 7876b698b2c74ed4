/** `ctx capture status` and `catch-up`. */
import { type CapturedConversation, type CaptureStatus, captureStatus } from '../../app/capture/capture.ts';
import { type CatchUpProblem, type CatchUpResult, catchUp } from '../../app/capture/catch-up.ts';
import { oneLine, plural } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { shortOid } from '../frame/words.ts';

const STORE_EXITS = [[5, 'the store is damaged']] as const;

/** Most problems that are shown one by one. */
const SHOWN = 20;

/** Files that are not read, a line each. */
function problems({ problems: files }: { problems: CatchUpProblem[] }): string[] {
  const shown = files.slice(0, SHOWN).map(({ agent, message }) => `${agent}: ${oneLine(message, 4096)}`);
  const more = files.length - shown.length;
  return more > 0 ? [...shown, `… and ${plural(more, 'more problem')} (all of them with --json)`] : shown;
}

/** Returns the hints on unread files, for each reason once. */
function unreadHints(files: CatchUpProblem[]): string[] {
  const hints = new Map<string, string>();
  for (const { reason = 'line', hint } of files) if (hint && !hints.has(reason)) hints.set(reason, hint);
  return [...hints.values()].map((hint) => oneLine(hint, 4096));
}

/** Lines of conversations that cannot be read, or are left out, each with its file. */
function lostLines({ conversations }: CaptureStatus): string[] {
  return conversations.flatMap(({ agent, file, lines_lost, lost }) => {
    const more = lines_lost - lost.length;
    const named = lost.map(({ line: number, message }) => `${agent}: ${file}, line ${number}: ${message}`);
    return [...named, ...(more > 0 ? [`${agent}: ${file}: … and ${plural(more, 'more line')}`] : [])];
  });
}

const WORDS: Record<CapturedConversation['captured'], [words: string, colour: keyof Theme]> = {
  captured: ['captured', 'good'],
  incomplete: ['lines missing', 'bad'],
  behind: ['behind', 'warn'],
  never: ['never captured', 'bad'],
  unbegun: ['nothing begun', 'faint'],
  forgotten: ['forgotten', 'faint'],
};

function line(each: CapturedConversation, theme: Theme): string {
  const [words, colour] = WORDS[each.captured];
  const turns = `${each.turns_stored} of ${plural(each.turns, 'turn')}`;
  const session = each.session_id === null ? '' : `  ${theme.accent(each.session_id)}`;
  const left = each.sub_agents - each.sub_agents_stored;
  const children = left > 0 ? `  ${plural(left, 'sub-agent')} of ${each.sub_agents} not stored` : '';
  return `${theme[colour](words.padEnd(14))}  ${turns.padEnd(14)}  ${each.agent} ${oneLine(each.agent_session_id)}${session}${children}\n`;
}

function renderStatus(status: CaptureStatus, theme: Theme): string {
  if (status.conversations.length === 0)
    return status.problems.length === 0
      ? 'No conversation of an agent in this project: nothing to capture.\n'
      : `${theme.warn(`No conversation that ctx can read; not read: ${plural(status.problems.length, 'file or folder', 'files or folders')}`)}\n`;
  const { turns, turns_stored, incomplete } = status;
  const colour = status.complete ? theme.good : theme.warn;
  const lost = incomplete > 0 ? `; lines that cannot be read in ${plural(incomplete, 'conversation')}` : '';
  const total = `${turns_stored} of ${plural(turns, 'turn')} captured${lost}`;
  return [...status.conversations.map((each) => line(each, theme)), `${colour(total)}\n`].join('');
}

const statusCommand = defineCommand<Record<string, never>, CaptureStatus>({
  name: 'capture status',
  summary: "compare what is stored with the agents' own transcripts",
  examples: [
    ['ctx capture status', 'turns of each conversation in this project, and how many of them are stored'],
    ['ctx capture status --json', 'the same for a script'],
  ],
  exits: [[1, 'a turn is missing, or a file of an agent is not read'], ...STORE_EXITS],
  mutates: false,
  input: (z) => z.object({}),
  run: (app) => captureStatus(app.repository(), app),
  problems: (status) => [...problems(status), ...lostLines(status).map((each) => oneLine(each, 4096))],
  hints: ({ conversations, behind, problems: files }) => {
    const isNew = conversations.some(({ captured }) => captured === 'never');
    const catchUp = `Take in what is missing: ctx capture catch-up${isNew ? ' --all' : ''}`;
    const asked = conversations.flatMap(({ answer_with }) => answer_with ?? []);
    const answers = asked.map((command) => `A question waits, and what came after it: answer it with: ${command}`);
    return [...answers, ...(behind <= asked.length ? [] : [catchUp]), ...unreadHints(files)];
  },
  render: renderStatus,
  exit: ({ complete }) => (complete ? 0 : 1),
});

function renderCatchUp(result: CatchUpResult, theme: Theme): string {
  const { conversations, turns_added, left_out, problems: files } = result;
  if (conversations.length === 0)
    return left_out + files.length > 0 ? 'Nothing was taken in.\n' : 'Nothing was missing.\n';
  const lines = conversations.map(
    ({ agent, agent_session_id, session_id, created, turns_added: turns, steps_added, commit }) => {
      const did = created ? 'Captured' : 'Added to';
      const counts = `${plural(turns, 'turn')}, ${plural(steps_added, 'step')}`;
      const saved =
        commit === undefined
          ? ''
          : `, ${created ? 'the one before it ' : ''}saved as ${theme.accent(shortOid(commit))}`;
      return `${did} ${theme.accent(session_id)}: ${counts} (${agent} ${oneLine(agent_session_id)})${saved}\n`;
    },
  );
  const total = `${plural(turns_added, 'turn')} of ${plural(conversations.length, 'conversation')} taken in`;
  return [...lines, `${theme.good(total)}\n`].join('');
}

const catchUpCommand = defineCommand<{ all?: boolean | undefined }, CatchUpResult>({
  name: 'capture catch-up',
  summary: "take in what the agents' transcripts have and the store has not",
  options: [{ flags: '--all', description: 'also conversations older than 30 days of which nothing is stored' }],
  examples: [
    ['ctx capture catch-up', 'what hooks have missed, and conversations of the last 30 days'],
    ['ctx capture catch-up --all', 'every conversation in this project, also from before ctx was installed'],
  ],
  exits: [
    [1, 'a transcript, or a line of one, could not be read, or a question waits in its session; all else was taken in'],
    [4, 'the store was busy; run it again to continue'],
    ...STORE_EXITS,
  ],
  ownSessions: true,
  mutates: true,
  input: (z) => z.object({ all: z.optional(z.boolean()) }),
  run: (app, { all }) => {
    const repository = app.repository();
    const { environment } = app;
    let taken = 'nothing was taken in yet';
    const progress = (text: string, done: number, total: number): void => {
      taken = `${done} of ${plural(total, 'conversation')} taken in`;
      app.progress.show(text);
    };
    return app.interruptible(
      () => catchUp(repository, { environment, all, progress }),
      () => `${taken}. To continue, run the same command again.`,
    );
  },
  problems,
  hints: ({ left_out, problems: files }) => {
    const all = `${plural(left_out, 'conversation')} older than 30 days left out; take them in with: ctx capture catch-up --all`;
    return [...(left_out === 0 ? [] : [all]), ...unreadHints(files)];
  },
  render: renderCatchUp,
  exit: ({ problems: files }) => (files.length === 0 ? 0 : 1),
});

export const captureCommands: readonly Command[] = [statusCommand, catchUpCommand];
