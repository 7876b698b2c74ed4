/** Describes the point at which a session stopped, in a sentence. */
import type { Session } from '../session/session.ts';
import type { SessionState } from '../state.ts';
import { oneLine } from '../text.ts';
import { lastSentence, questionIn, withoutMarkdown } from './plain-sentence.ts';
import { isStopped } from './status.ts';

/** Returns the question, the summary's last sentence, the message or the reason that a state holds; null if it holds none. */
export function whereStopped(state: SessionState): string | null {
  switch (state.kind) {
    case 'AwaitingUser':
      return questionIn(state.question) || null;
    case 'PendingComplete':
      return (state.summary && lastSentence(state.summary)) || null;
    case 'Interrupted':
      return (state.user_message && oneLine(withoutMarkdown(state.user_message))) || null;
    case 'Aborted':
      return (state.reason && oneLine(withoutMarkdown(state.reason))) || null;
    default:
      return null;
  }
}

/** Returns where a session stopped: what was said when it was paused, else what its state says; null if neither says anything. */
export function summaryOf({ paused, last_activity, session_state }: Session): string | null {
  const isStill = paused !== undefined && (isStopped({ paused }) || paused.at > last_activity);
  return (isStill && paused.summary) || whereStopped(session_state);
}
