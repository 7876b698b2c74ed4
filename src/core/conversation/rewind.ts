/** Goes back in a conversation to a message of the user, and takes that back: nothing is lost, only what the model sees changes. */
import { actsOf, counts, deedsOf, type PastAct } from './acts.ts';
import type { Conversation, FoldedMessage } from './conversation.ts';
import { changeTo, type SightChange, sightAt, sightBefore, sightNow, summariesOf } from './sight.ts';

/** Fields in the metadata of a message in the user's name that the user did not write. */
const OF_THE_PROGRAM = ['is_meta', 'is_compact_summary', 'is_orphan_result', 'is_sidechain'];

/** Returns whether the user wrote a message. */
export const isUsers = ({ role, metadata }: Pick<FoldedMessage, 'role' | 'metadata'>): boolean =>
  role === 'user' && OF_THE_PROGRAM.every((key) => metadata[key] !== true);

/** The messages of the user that the model sees, in order. */
export const usersInView = ({ messages }: Conversation): FoldedMessage[] =>
  [...messages.values()].filter((message) => message.hidden === null && isUsers(message));

/** The nearest message of the user before a message, and the nearest after it. */
export function nearestOfUser({ messages }: Conversation, place: number): FoldedMessage[] {
  const users = [...messages.values()].filter(isUsers);
  return [users.findLast((one) => one.place < place), users.find((one) => one.place > place)].filter(
    (one) => one !== undefined,
  );
}

/** The words of a message: its texts, one below the other. Of a text that is not held, its beginning. */
export function wordsOf({ parts }: Pick<FoldedMessage, 'parts'>): string {
  const texts = parts.flatMap(({ part }) => (part.type === 'text' ? [part.text as unknown] : []));
  return texts
    .map((text) => (typeof text === 'string' ? text : String((text as { preview?: unknown } | null)?.preview ?? '')))
    .join('\n\n');
}

/**
 * Plans the change if the conversation continues from a message of the user: the model sees what it saw when the message came. What a later
 * compaction had summarised is in view again.
 */
export const rewindTo = (conversation: Conversation, message: FoldedMessage): SightChange =>
  changeTo(conversation, sightAt(conversation, message));

/** Changes of a rewind that is taken back. */
export interface Unrewind extends SightChange {
  act: PastAct;
  /** The messages that came after the rewind: they stay in the conversation, out of view. */
  left: string[];
}

/** Plans the change if the last rewind is taken back: the model sees what it saw before; null if there is none. */
export function unrewind(conversation: Conversation): Unrewind | null {
  const acts = actsOf(conversation);
  const act = acts.findLast((one) => one.by === 'rewind' && counts(acts, one));
  if (!act) return null;
  const place = conversation.overlays[act.index]?.place ?? 0;
  const { hide, show } = deedsOf(conversation, act.id);
  // A rewind of the files alone has left the view as it was.
  const isOfFiles = act.world !== undefined && hide.length + show.length === 0;
  const change = isOfFiles ? { hide: [], show: [] } : changeTo(conversation, sightBefore(conversation, act.index));
  return { act, ...change, left: change.hide.filter((id) => (conversation.messages.get(id)?.place ?? 0) >= place) };
}

/** A compaction: the message with its summary, and the messages that it took out of view. */
export interface Compaction {
  summary: FoldedMessage;
  summarised: string[];
  /** The act of ctx that made it; null for an agent's own. */
  act: PastAct | null;
}

/** The compactions of a conversation, in the order of their overlays. */
export function compactionsOf(conversation: Conversation): Compaction[] {
  const { overlays } = conversation;
  const ends = new Map<FoldedMessage, [first: number, last: number]>();
  const summaries = summariesOf(conversation);
  for (const [index, overlay] of overlays.entries()) {
    const summary = summaries.get(overlay);
    if (summary) ends.set(summary, [ends.get(summary)?.[0] ?? index, index]);
  }
  return [...ends].map(([summary, [first, last]]) => {
    const after = sightBefore(conversation, last + 1);
    const summarised = [...sightBefore(conversation, first)].filter((id) => !after.has(id) && id !== summary.id);
    const act = overlays[first]?.act;
    return { summary, summarised, act: act ? { ...act, index: first } : null };
  });
}

/** Plans the change if the last compaction whose summary the model sees is taken back; null if there is none. */
export function uncompact(conversation: Conversation): (SightChange & Compaction) | null {
  const compaction = compactionsOf(conversation).findLast(({ summary }) => summary.hidden === null);
  if (!compaction) return null;
  const seen = sightNow(conversation);
  for (const id of compaction.summarised) seen.add(id);
  seen.delete(compaction.summary.id);
  return { ...compaction, ...changeTo(conversation, seen) };
}
