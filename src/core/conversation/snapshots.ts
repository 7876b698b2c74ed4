/** Finds the message of the user that each snapshot of the work tree belongs to. */
import { crc32 } from '../crc32.ts';
import type { Conversation, FoldedMessage, KeptSnapshot } from './conversation.ts';
import { isUsers, wordsOf } from './rewind.ts';

/** So many characters of a message are compared: less than what is held of a text that lies elsewhere. */
const COMPARED = 120;
/** So many seconds the clock of an agent may be apart from that of its hook. */
const CLOCKS_APART = 5;

/** Prints the first words of a message, so that a snapshot finds the message when the agent has written it. */
export function wordsPrint(words: string): string {
  const plain = words.replace(/\s+/g, ' ').trim().slice(0, COMPARED);
  return `${plain.length}-${crc32(new TextEncoder().encode(plain)).toString(16)}`;
}

/** The last snapshot of each message, by the id of the message. */
export function snapshotsOf(conversation: Conversation): Map<string, KeptSnapshot> {
  const found = new Map<string, KeptSnapshot>();
  const kept = conversation.snapshots.filter(({ point }) => point === 'message');
  if (kept.length === 0) return found;
  for (const snapshot of kept) if (snapshot.message !== undefined) found.set(snapshot.message, snapshot);
  const users = [...conversation.messages.values()].filter(isUsers);
  const print = new Map(users.map((message) => [message.id, wordsPrint(wordsOf(message))]));
  const waiting = kept.filter(({ message }) => message === undefined);
  const give = (isOf: (message: FoldedMessage, snapshot: KeptSnapshot) => boolean): void => {
    for (const snapshot of waiting.splice(0)) {
      const free = users.filter((message) => !found.has(message.id) && isOf(message, snapshot));
      const nearest = free.reduce<FoldedMessage | undefined>(
        (best, one) => (best === undefined || apart(one, snapshot) < apart(best, snapshot) ? one : best),
        undefined,
      );
      if (nearest) found.set(nearest.id, snapshot);
      else waiting.push(snapshot);
    }
  };
  give(({ id }, { words }) => words !== undefined && print.get(id) === words);
  give((message, snapshot) => apart(message, snapshot) <= CLOCKS_APART);
  return found;
}

/** Seconds between a message and a snapshot; those of a message without a time are the most there can be. */
function apart({ metadata }: FoldedMessage, { at }: KeptSnapshot): number {
  const time = metadata['created_at'];
  return typeof time === 'number' ? Math.abs(time - at) : Number.MAX_SAFE_INTEGER;
}
