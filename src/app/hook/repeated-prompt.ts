/** Detects a prompt that an agent reports twice, since ctx is in two of its settings files: it counts once. */
import { missedPrompt } from '../../core/session/missed.ts';
import { sessionRef } from '../../git/layout.ts';
import { sha1 } from '../../platform/hash.ts';
import { type Hook, lastPromptOf, rememberPrompt } from '../ingest/hook-session.ts';
import type { Before } from '../message/result.ts';
import type { ActiveSession } from '../session/active.ts';

/** A reported prompt: its redacted words, and the agent's own id of it, if there is one. */
export interface Prompt {
  words: string;
  id: string | null;
  /** A hash of the words. */
  sum: string;
}

/**
 * Makes a prompt.
 * @param words the redacted words
 * @param id the agent's own id
 */
export const promptOf = (words: string, id: string | null): Prompt => ({ words, id, sum: hashOf(words) });

/** Two hooks of one event run at once, and end within as many seconds: nobody repeats a prompt so soon. */
const AT_ONCE = 5;

const NOTHING = '0'.repeat(40);
const hashOf = (text: string | null): string => (text === null ? NOTHING : sha1(Buffer.from(text)));

/**
 * Remembers a prompt, and the head at which it has left its session.
 * @param session null if there is none
 * @param known the head of the session, if it is known already
 */
export function rememberTaken(
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
 * Returns whether a prompt was reported before: by its id, or without one, if the same words were reported just now and
 * nothing has happened since. Called under LOCK.
 * @param before the session of its conversation, and what the transcript adds, such as an interruption since
 */
export function isRepeated(
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
  return (isSame && isLeft) || isPendingPrompt(prompt, active);
}

/** Returns whether a prompt is pending as a missed one: the store was busy when it was first reported. */
export const isPendingPrompt = ({ words, id }: Prompt, active: ActiveSession | null): boolean =>
  active?.pending.some(({ record }, index, { length }) => {
    const missed = missedPrompt(active.session.session_id, record);
    return missed?.words === words && missed.id === id && (id !== null || index === length - 1);
  }) === true;
