/** Where a session stopped, in a sentence. */
import type { SessionState } from '../state.ts';
import { oneLine } from '../text.ts';
import { lastSentence, questionIn, withoutMarkdown } from './plain-sentence.ts';

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
