/** Classifies a user's message: by the agent's own statement, else by the user's program, else by ctx. */

import { isObject } from '../../../core/json.ts';
import { lastWordsOf } from '../../../core/session/user-message.ts';
import type { SessionState } from '../../../core/state.ts';
import { oneLine } from '../../../core/text.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { mayRunPrograms } from '../../../history/store/trust.ts';
import { CLASSES, type Classification, classifyMessage } from '../../../language/index.ts';
import { askProgram } from '../../../platform/program.ts';

export interface Classified {
  classification: Classification;
  /** From 0 to 1. */
  confidence: number;
  reason: string;
  /** Why the user's own program did not decide; absent if there is none, or it did. */
  problem?: string;
}

/** Facts that are known besides the message. */
export interface Circumstances {
  /** The class that an agent itself gives it. */
  as?: Classification | undefined;
  state: SessionState | null;
  task: string | null;
  /** The agent's last words; by default taken from the state. */
  lastMessage?: string | undefined;
  /** True if the message is the first prompt of a conversation that begins again. */
  beginsConversation?: boolean | undefined;
}

/** The command that calls the user's program. */
export interface Asking {
  /** Returns the milliseconds left for it, whatever the settings say. */
  timeLeft: () => number;
  /** Its answers so far: it is called before LOCK is taken, and not again under LOCK. */
  answers: Map<string, ReturnType<typeof askProgram>>;
}

/** Classifies a message; never fails. */
export function classify(
  repository: Repository,
  message: string,
  circumstances: Circumstances,
  asking: Asking,
): Classified {
  const { as, state, task } = circumstances;
  if (as !== undefined) return { classification: as, confidence: 1, reason: 'The agent says so.' };
  const lastMessage = circumstances.lastMessage ?? lastWordsOf(state);
  const question: Question = { state: state?.kind ?? null, message, lastMessage, task };
  const answer = askUsers(repository, question, asking);
  if (answer && 'classification' in answer) return answer;
  const ours = classifyMessage({ ...question, beginsConversation: circumstances.beginsConversation });
  return answer ? { ...ours, reason: `${ours.reason} (${answer.failed})`, problem: answer.failed } : ours;
}

type Question = Parameters<typeof classifyMessage>[0];

/** The variable that marks the user's program: a ctx that it calls does not call it again, which would recurse. */
const CLASSIFYING = 'CTX_CLASSIFYING';

/** Longest that Git may take to say whether it tracks the settings, in milliseconds. */
const LONGEST_LOOK = 1000;

/** Calls the program of the settings; null if there is none. */
function askUsers(
  repository: Repository,
  question: Question,
  { timeLeft, answers }: Asking,
): Classified | { failed: string } | null {
  const { classifier } = repository.settings;
  if (classifier === null) return null;
  if (process.env[CLASSIFYING])
    return { failed: `The classifier of settings.json was not run: ${CLASSIFYING} is set.` };
  const { state, message, lastMessage, task } = question;
  const input = JSON.stringify({ state, message, last_message: lastMessage ?? null, task: task ?? null });
  if (!answers.has(input) && !mayRunPrograms(repository, Math.floor(Math.min(LONGEST_LOOK, timeLeft()))))
    return { failed: 'The classifier of settings.json was not run: trust this store with ctx init --trust.' };
  const timeout = Math.floor(Math.min(classifier.timeout * 1000, timeLeft()));
  const asked = answers.get(input) ?? askInTime(classifier.command, `${input}\n`, timeout);
  answers.set(input, asked);
  if ('failed' in asked) return { failed: `The classifier of settings.json gave no answer: ${asked.failed}.` };
  return readAnswer(asked.answer) ?? { failed: 'The classifier of settings.json gave an answer that is none.' };
}

/** Calls the program if there is time left. */
const askInTime = (command: readonly string[], input: string, timeout: number): ReturnType<typeof askProgram> =>
  timeout > 0
    ? askProgram(command, input, timeout, { [CLASSIFYING]: '1' })
    : { failed: 'there was no time left for it' };

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '');

/** Parses `{"classification": "NewTask", "confidence": 0.9, "reason": "…"}`; only the class is required. */
function readAnswer(text: string): Classified | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || typeof value.classification !== 'string') return null;
  const named = plain(value.classification);
  const classification = CLASSES.find((name) => plain(name) === named);
  if (!classification) return null;
  const { confidence, reason } = value;
  const isShare = typeof confidence === 'number' && confidence >= 0 && confidence <= 1;
  return {
    classification,
    confidence: isShare ? confidence : 1,
    reason: typeof reason === 'string' && reason !== '' ? oneLine(reason) : 'The classifier of settings.json says so.',
  };
}
