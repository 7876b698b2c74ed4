/** Examines the capture: turns that only the agent has, and when the agent deletes them. */
import { join } from 'node:path';
import type { AgentTranscripts, Retention } from '../../agents/contract/transcript-places.ts';
import { transcriptPlaces } from '../../agents/index.ts';
import { durationInWords, plural } from '../../core/text.ts';
import { exists } from '../../platform/files.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import type { CapturedConversation, CaptureStatus } from '../capture/capture.ts';
import { lostLineHint } from '../capture/captured.ts';
import { projectOf, type Surroundings, userFolder } from '../setup/hook-places.ts';
import { trustsProject } from '../setup/project-trust.ts';
import { projectTranscripts } from '../transcript/files.ts';
import type { TranscriptProblem } from '../transcript/found-transcripts.ts';
import { type DoctorFinding, note, ok, problem } from './finding.ts';

const DAY = 86_400;
/** Days before its deletion from which a transcript is reported. */
const SOON = 7;
/** Most files that are named one by one. */
const SHOWN = 20;
/** Days that are as good as for ever. */
const LONG = 365;

const CATCH_UP = 'ctx capture catch-up --all';

export function* lookAtCapture(status: CaptureStatus): Generator<DoctorFinding> {
  const { turns, turns_stored, conversations, behind } = status;
  const count = `${turns_stored} of ${plural(turns, 'turn')} captured`;
  const forgotten = conversations.filter(({ captured }) => captured === 'forgotten').length;
  const left =
    forgotten === 0
      ? ''
      : `, beside ${plural(forgotten, 'conversation')} that ${forgotten === 1 ? 'was' : 'were'} forgotten`;
  // The end of the last turn comes with the next hook: an ongoing conversation is no problem.
  const isAhead = (each: CapturedConversation): boolean =>
    each.sub_agents_stored === each.sub_agents &&
    (each.told_by_hooks || (each.partial && each.turns_stored === each.turns - 1));
  const missing = conversations.filter(({ captured }) => captured === 'behind' || captured === 'never');
  if (missing.some((each) => !isAhead(each))) {
    const whole = missing.filter(({ captured }) => captured === 'never').length;
    const never = whole > 0 ? `; ${plural(whole, 'conversation')} never` : '';
    yield problem('capture', `${count}${never}${subAgentsLeft(missing)}`, mendOf(missing));
  } else if (missing.some(({ told_by_hooks }) => told_by_hooks)) {
    yield note(
      'capture',
      `${count}: hooks recorded the rest; what only transcripts hold is not read yet.`,
      mendOf(missing),
    );
  } else if (behind > 0) {
    yield note('capture', `${count}: the end of the last turn comes with the next hook.`, mendOf(missing));
  } else if (status.incomplete > 0) {
    const what = `lines that cannot be read in ${plural(status.incomplete, 'conversation')}`;
    yield problem('capture', `${count}; ${what}`, 'Nothing else is missing. See every such line: ctx capture status');
  } else if (turns > 0 || status.problems.length === 0)
    yield ok('capture', turns === 0 ? `No conversation of this project to capture${left}.` : count + left);
  for (const { file, lost } of conversations) {
    const [first] = lost;
    if (first)
      yield problem('capture', `${file}, line ${first.line}: ${first.message}`, lostLineHint(file, first.line));
  }
  yield* lookAtUnread(status.problems);
}

/** Counts the sub-agents that are not stored, in words; empty if there are none. */
function subAgentsLeft(missing: readonly CapturedConversation[]): string {
  const left = missing.reduce((sum, each) => sum + each.sub_agents - each.sub_agents_stored, 0);
  return left > 0 ? `; ${plural(left, 'sub-agent')} not` : '';
}

/** Reports what agents have written and ctx does not read. */
function* lookAtUnread(problems: readonly TranscriptProblem[]): Generator<DoctorFinding> {
  for (const { message, hint } of problems.slice(0, SHOWN)) yield problem('capture', message, hint);
  const more = problems.length - SHOWN;
  if (more > 0)
    yield problem('capture', `${plural(more, 'more file')} that ctx does not read.`, 'ctx capture status --json');
}

/** Returns the command that adds what is missing: the answer to a question if only that blocks it. */
function mendOf(missing: readonly CapturedConversation[]): string {
  const [answer] = missing.flatMap(({ answer_with }) => answer_with ?? []);
  if (answer !== undefined && missing.every(({ answer_with }) => answer_with !== null)) return answer;
  return missing.some(({ captured }) => captured === 'never') ? CATCH_UP : 'ctx capture catch-up';
}

/** Reports, without a store, what could be captured. */
export function* lookAtTranscripts(around: Surroundings): Generator<DoctorFinding> {
  const { files, problems } = projectTranscripts(projectOf(around.directory), around);
  yield* lookAtUnread(problems);
  if (files.length === 0) return;
  yield problem(
    'capture',
    `${plural(files.length, 'conversation')} of this project stored nowhere but with the agent.`,
    `ctx init, then ${CATCH_UP}`,
  );
}

/** Reports how long each agent keeps its transcripts, and which of the missing ones are deleted soon. */
export function* lookAtRetention(
  missing: readonly CapturedConversation[],
  around: Surroundings,
  now: number,
): Generator<DoctorFinding> {
  for (const each of transcriptPlaces()) {
    const folder = userFolder(each, around);
    if (folder === undefined || !exists(folder)) continue;
    const { agent, title, retention } = each;
    if (!retention) {
      yield ok('retention', `${title} deletes no transcripts by itself, as far as is known.`);
      continue;
    }
    const files = settingsOf(each, retention, folder, around);
    const settings = files.map(({ text }) => text);
    const days = retention.days(settings);
    if (days === null) {
      yield ok('retention', `${title} deletes no transcripts: its settings say so.`);
      continue;
    }
    const decisive = files.find(({ text }) => retention.decides(text))?.path ?? join(folder, retention.user[0] ?? '');
    const longer = `To keep them longer, write ${retention.longer} into ${decisive}`;
    if (days === 0) {
      yield problem('retention', `${title} keeps no transcripts: there is nothing to capture from.`, longer);
      continue;
    }
    const going = missing.filter((one) => one.agent === agent && one.written_at + (days - SOON) * DAY < now);
    if (going.length > 0) {
      const message = `${title} deletes ${plural(going.length, 'conversation')} that ${going.length === 1 ? 'is' : 'are'} not captured within ${plural(SOON, 'day')}.`;
      yield problem('retention', message, CATCH_UP);
    }
    const sooner = retention.sooner?.(settings) ?? null;
    const message = `${title} deletes a transcript ${durationInWords(days * DAY)} after its last use${sooner === null ? '' : `; ${sooner}`}.`;
    yield days < LONG || sooner !== null ? note('retention', message, longer) : ok('retention', message);
  }
}

/** Returns the effective settings, the highest precedence first, without those of an untrusted project. */
function settingsOf(
  agent: AgentTranscripts,
  retention: Retention,
  folder: string,
  around: Surroundings,
): { path: string; text: string }[] {
  const project = join(projectOf(around.directory), agent.folder);
  const paths = [
    ...(trustsProject(agent.agent, around) ? retention.project : []).map((name) => join(project, name)),
    ...retention.user.map((name) => join(folder, name)),
  ];
  return paths.flatMap((path) => {
    const text = readLinkedIfThere(path)?.toString('utf8');
    return text === undefined ? [] : [{ path, text }];
  });
}
