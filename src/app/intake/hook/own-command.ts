/** Follows `/ctx-resume` in a new conversation: it begins no session, and becomes a part of the one that the agent resumes. */

import type { Conversation } from '../../../core/intake/reconcile.ts';
import { isKind } from '../../../core/records/record.ts';
import type { HookEvent } from '../../../core/session/hook-event.ts';
import { readChain, readCommit, readRecords } from '../../../history/chain/chain.ts';
import { SESSIONS } from '../../../history/names/layout.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { adoptConversation } from '../../resume/adopt.ts';
import { forgetResuming, lastSessionOf, remember, rememberResuming, resumingSince } from '../conversation.ts';

/** Longest answer to the question which session is meant, in UTF-16 code units: what is longer is a task. */
const LONGEST_ANSWER = 80;
const ANSWERED = 'answered';

/**
 * Takes an event of a conversation in which `/ctx-resume` was typed.
 * @returns whether nothing else is to be done at it
 */
export function followsOwnCommand(repository: Repository, conversation: Conversation, event: HookEvent): boolean {
  const { happened, transcript } = event;
  if (happened.what === 'foreign' && happened.command === 'ctx-resume') {
    if (lastSessionOf(repository, conversation) !== null) return false;
    remember(repository, conversation, null);
    rememberResuming(repository, conversation, 'asked');
    return true;
  }
  const since = resumingSince(repository, conversation);
  if (since === '') return false;
  const resumed = resumedSession(repository);
  if (resumed !== null) {
    forgetResuming(repository, conversation);
    adoptConversation(repository, resumed, conversation, transcript);
    // The tool is the command that has resumed the session.
    return happened.what === 'tool';
  }
  if (happened.what !== 'prompt') return true;
  const isAnswer = since !== ANSWERED && happened.text.length <= LONGEST_ANSWER;
  if (isAnswer) rememberResuming(repository, conversation, ANSWERED);
  else forgetResuming(repository, conversation);
  return isAnswer;
}

/** Returns the current session as `<id>:<head>` if the last thing that was done in it is that it was resumed. */
function resumedSession({ refs, objects }: Repository): string | null {
  const ref = refs.stage();
  const head = ref === null ? null : refs.read(ref);
  if (ref === null || head === null) return null;
  const { session } = readChain(objects, head, ref);
  const isBegun = session.step === 1 && session.resumes !== undefined;
  const records = readRecords(objects, readCommit(objects, head).tree, `step ${head}`, false);
  const isBack = records.some((record) => isKind(record, 'status') && record.by === 'resume');
  return isBegun || isBack ? `${ref.slice(SESSIONS.length)}:${head}` : null;
}
