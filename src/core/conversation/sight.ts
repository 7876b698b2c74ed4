/** Replays the overlays up to some moment of a conversation: the view of the model then. */
import type { Conversation, FoldedMessage, FoldedOverlay } from './conversation.ts';

/** The ids of the messages that are in view. */
export type Sight = ReadonlySet<string>;

/** Messages that must be hidden and shown to come from one view to another, each in the order of the conversation. */
export interface SightChange {
  hide: string[];
  show: string[];
}

/** The messages that are in view now. */
export function sightNow({ messages }: Conversation): Set<string> {
  const seen = new Set<string>();
  for (const { id, hidden } of messages.values()) if (hidden === null) seen.add(id);
  return seen;
}

/** The messages that were in view just before an overlay was recorded. @param index of the overlay */
export function sightBefore({ overlays, order }: Conversation, index: number): Set<string> {
  const place = overlays[index]?.place ?? order.length;
  const known = new Set(order.slice(0, place));
  const seen = new Set(known);
  for (const overlay of overlays.slice(0, index)) apply(overlay, seen, (id) => known.has(id));
  return seen;
}

/**
 * The messages that were in view when a message came, with that message. The reader of a transcript may record what an agent's own rewind
 * has hidden only at the end of a turn, and a compaction only behind its summary: both count from where they belong.
 */
export function sightAt(conversation: Conversation, target: FoldedMessage): Set<string> {
  const { overlays, order } = conversation;
  const known = new Set(order.slice(0, target.place + 1));
  const line = lineOf(conversation, target);
  const summaries = summariesOf(conversation);
  const seen = new Set(known);
  for (const [index, overlay] of overlays.entries()) {
    const since = Math.min(overlay.place, summaries.get(overlay)?.place ?? overlay.place);
    const isBefore = since <= target.place;
    if (overlay.act || isCompaction(overlay)) {
      if (isBefore) apply(overlays[index] as FoldedOverlay, seen, (id) => known.has(id));
    } else if (isBefore)
      apply(overlay, seen, (id) => known.has(id) && !(line && line.has(id) === (overlay.op === 'hide')));
    else if (line && !overlay.targets.includes(target.id))
      apply(overlay, seen, (id) => known.has(id) && line.has(id) === (overlay.op === 'show'));
  }
  return seen.add(target.id);
}

/** The calls, and the messages, whose outputs were pruned when the message at a place came. */
export function prunedBefore({ overlays }: Conversation, place: number): Set<string> {
  const pruned = new Set<string>();
  for (const overlay of overlays) {
    if (overlay.place > place) break;
    for (const id of overlay.targets)
      if (overlay.op === 'prune') pruned.add(id);
      else if (overlay.op === 'unprune') pruned.delete(id);
  }
  return pruned;
}

/** Hides or shows the messages that an overlay names. */
function apply({ op, targets }: FoldedOverlay, seen: Set<string>, concerns: (id: string) => boolean): void {
  for (const id of targets)
    if (op === 'hide' && concerns(id)) seen.delete(id);
    else if (op === 'show' && concerns(id)) seen.add(id);
}

/** The messages above a message in the tree of its transcript, and itself; null if it names no message above. */
function lineOf({ parents }: Conversation, { id }: FoldedMessage): Set<string> | null {
  if (!parents.has(id)) return null;
  const line = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !line.has(at); at = parents.get(at)) line.add(at);
  return line;
}

/** Returns whether an overlay that a reader has recorded belongs to a compaction. */
const isCompaction = ({ reason }: FoldedOverlay): boolean => reason === 'compaction';

/**
 * The message that holds the summary of each compaction, by the overlay that hides what it summarises. That of an agent is the last summary
 * before the overlay that no other compaction has, else the next one.
 */
export function summariesOf({ overlays, messages }: Conversation): Map<FoldedOverlay, FoldedMessage> {
  const found = new Map<FoldedOverlay, FoldedMessage>();
  const agents = [...messages.values()].filter(isAgentsSummary);
  const taken = new Set<FoldedMessage>();
  let last: FoldedOverlay | undefined;
  for (const overlay of overlays) {
    if (overlay.act?.by === 'compact') {
      const summary = messages.get(overlay.act.to ?? '');
      if (summary) found.set(overlay, summary);
    } else if (!overlay.act && isCompaction(overlay)) {
      // The overlays of one compaction come one after the other.
      const isSame = last !== undefined && last.place === overlay.place && found.has(last);
      const before = agents.findLast((message) => message.place < overlay.place && !taken.has(message));
      const summary = isSame
        ? found.get(last as FoldedOverlay)
        : (before ?? agents.find((message) => message.place >= overlay.place && !taken.has(message)));
      if (summary) {
        taken.add(summary);
        found.set(overlay, summary);
      }
      last = overlay;
    }
  }
  return found;
}

/** Returns whether a message holds the summary of a compaction. */
export const isSummary = ({ metadata }: FoldedMessage): boolean => metadata['is_compact_summary'] === true;
const isAgentsSummary = (message: FoldedMessage): boolean =>
  isSummary(message) && message.metadata['recorded_by'] !== 'ctx';

/** Plans the change so that these messages, and no others, are in view. */
export function changeTo({ messages }: Conversation, seen: Sight): SightChange {
  const change: SightChange = { hide: [], show: [] };
  for (const { id, hidden } of messages.values())
    if (hidden === null && !seen.has(id)) change.hide.push(id);
    else if (hidden !== null && seen.has(id)) change.show.push(id);
  return change;
}
