/** Keeps the model that an agent's hooks name with the session of the conversation. */
import type { Conversation } from '../../../core/intake/reconcile.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { forgottenSource } from '../../redaction/forgotten-filter.ts';
import { redactionFor } from '../../redaction/redact.ts';
import { addRecord } from '../../session/observe.ts';
import { modelOf, openSessionOf, rememberModel } from '../conversation.ts';

/** Keeps a model that is another one than the conversation had before; a session that begins later takes it over. */
export function keepModel(repository: Repository, conversation: Conversation, given: string): void {
  if (forgottenSource(repository, conversation.agent, conversation.agent_session)) return;
  const model = redactionFor(repository).text(given);
  if (modelOf(repository, conversation) === model) return;
  const session = openSessionOf(repository, conversation)?.session;
  if (session && session.model !== model)
    addRecord(repository, session.session_id, () => ({ body: { kind: 'about', by: 'hook', model } }));
  rememberModel(repository, conversation, model);
}
