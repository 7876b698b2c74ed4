/** A thread of `ctx ingest`: reads transcripts of new sessions into steps. A program of its own; moves no pointer. */

import { openRepository, type Repository } from '../../history/store/repository.ts';
import { answerOrders } from '../../platform/threads.ts';
import { redactionFor } from '../redaction/redact.ts';
import { firstLineKey } from '../transcript/conversation-id.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { ReadOrder, ReadTranscript } from './ahead.ts';
import { readTranscript } from './read.ts';

const stores = new Map<string, Repository>();

function openOnce(store: string, directory: string): Repository {
  const opened = stores.get(store) ?? openRepository({ store, directory });
  stores.set(store, opened);
  return opened;
}

answerOrders<ReadOrder, ReadTranscript>(({ store, directory, file, agent: name, from }) => {
  const repository = openOnce(store, directory);
  const recognised = recogniseTranscript(file, name);
  const { agent, text, unreadable } = recognised;
  const agentSession = redactionFor(repository).text(recognised.agentSession);
  const first_line = firstLineKey(recognised);
  const work = readTranscript(repository, text, { agent, agentSession, first_line, from, known: null, observed: null });
  return { work, unreadable: unreadable?.() ?? [] };
});
