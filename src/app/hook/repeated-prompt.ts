/** A prompt that an agent tells twice, as it does where ctx stands in two of its settings files: it counts once. */
import { missedPrompt } from '../../core/missed.ts';
import { sessionRef } from '../../git/layout.ts';
import { sha1 } from '../../platform/hash.ts';
import { type Hook, lastPromptOf, rememberPrompt } from '../ingest/hook-session.ts';
import type { Before } from '../message/result.ts';
import type { ActiveSession } from '../session/active.ts';

/** A prompt as it is told: its words without secrets, and the agent's own id of it, where that is told. */
export interface Prompt {
  words: string;
  id: string | null;
  /** A hash of the words. */
  sum: string;
}

/** What a prompt is known by. @param words without secrets @param id as its agent tells it */
export const promptOf = (words: string, id: string | null): Prompt => ({ words, id, sum: hashOf(words) });

/** Two hooks that tell of one event run at once, and are over within as many seconds: nobody says the same again so soon. */
const AT_ONCE = 5;

const NOTHING = '0'.repeat(40);
const hashOf = (text: string | null): string => (text === null ? NOTHING : sha1(Buffer.from(text)));

/**
 * Keeps what a prompt is known by, and where it has left its session.
 * @param session null where it has none
 * @param known the head of the session, where that is known already
 */
export function keepTold(
  { repository, conversation }: Hook,
  { sum, id }: Prompt,
  session: string | null,
  known: string | null,
): void {
  const head = known ?? ((session !== null && repository.refs.read(sessionRef(session))) || NOTHING);
  const at = String(repository.clock()).padStart(12, '0');
  rememberPrompt(repository, conversation, [sum, hashOf(id), head, repository.ids(), at].join(' '));
}

/**
 * Whether a prompt was told before: by its id, or where it has none, since one with the same words was told just now
 * and nothing has happened after it. Asked under LOCK.
 * @param before the session of its conversation, and what the transcript adds: that the user has stopped the agent
 * since, for one
 */
export function isTold(
  { repository, conversation }: Hook,
  prompt: Prompt,
  { active, increment }: Pick<Before, 'active' | 'increment'>,
): boolean {
  const [words, id, head, since = '', at] = lastPromptOf(repository, conversation).split(' ');
  const isSame = words === prompt.sum && id === hashOf(prompt.id);
  if (isSame && prompt.id !== null) return true;
  const isCut = (increment?.interrupted ?? null) !== null;
  const isLeft =
    !isCut &&
    Math.abs(repository.clock() - Number(at)) <= AT_ONCE &&
    head === (active?.chain.head ?? NOTHING) &&
    !active?.pending.some(({ record }) => record.id > since);
  return (isSame && isLeft) || isMissed(prompt, active);
}

/** Whether a prompt waits already to be made up for: the store was busy when it was told first. */
export const isMissed = ({ words, id }: Prompt, active: ActiveSession | null): boolean =>
  active?.pending.some(({ record }, index, { length }) => {
    const missed = missedPrompt(active.session.session_id, record);
    return missed?.words === words && missed.id === id && (id !== null || index === length - 1);
  }) === true;
