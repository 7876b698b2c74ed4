/** Begins the session of a conversation whose prompts are unknown. */
import { UNTITLED } from '../../../core/listing/title.ts';
import { sessionRef } from '../../../history/names/layout.ts';
import { transact } from '../../../history/transaction.ts';
import { becomeActive } from '../../session/active.ts';
import { beginSession } from '../../session/start.ts';
import { type Hook, openStateOf, remember, rememberUnplaced } from '../conversation.ts';
import { beginning, hasNoTranscript } from './part.ts';

/** Begins the session of a conversation that has none, and whose prompts do not say what it is about. */
export function beginUnprompted(hook: Hook): void {
  const { repository, conversation } = hook;
  transact(repository, { command: 'hook', message: 'start' }, (transaction) => {
    // Another hook may have done the same meanwhile.
    if (openStateOf(repository, conversation)) return;
    const { session_id } = beginSession(repository, transaction, UNTITLED, beginning(hook, null));
    becomeActive(repository, transaction, sessionRef(session_id), hook.note);
    remember(repository, conversation, session_id);
    if (hook.event.transcript !== null && hasNoTranscript(hook)) rememberUnplaced(repository, conversation);
  });
}
