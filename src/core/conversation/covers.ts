/** Finds why each message is out of view: an act that restores an earlier view is no reason of its own. */
import type { Conversation, Cover } from './conversation.ts';

/** The cover of a message from an overlay on; null while it is in view. */
type Change = readonly [index: number, cover: Cover | null];

/**
 * Returns the overlay to which each message that is out of view owes it. What a later act has hidden again, because it takes back an act
 * that had shown it, is hidden by what had hidden it before that act.
 */
export function coversOf({ overlays, messages }: Conversation): Map<string, Cover> {
  const begins = new Map<string, number>();
  const changes = new Map<string, Change[]>();
  const coverBefore = (id: string, index: number): Cover | null =>
    changes.get(id)?.findLast(([at]) => at < index)?.[1] ?? null;
  for (const [index, { id: overlay, at, op, targets, reason, place, act }] of overlays.entries()) {
    if (act && !begins.has(act.id)) begins.set(act.id, index);
    if (op !== 'hide' && op !== 'show') continue;
    const takenBack = act?.of === undefined ? undefined : begins.get(act.of);
    const own: Cover = { overlay, at, ...(reason === undefined ? {} : { reason }) };
    for (const id of targets) {
      const message = messages.get(id);
      const isHidden = coverBefore(id, index + 1) !== null;
      if (!message || message.place >= place || isHidden === (op === 'hide')) continue;
      const earlier = takenBack === undefined ? null : coverBefore(id, takenBack);
      const list = changes.get(id) ?? [];
      list.push([index, op === 'show' ? null : (earlier ?? own)]);
      changes.set(id, list);
    }
  }
  const covers = new Map<string, Cover>();
  for (const [id, list] of changes) {
    const cover = list.at(-1)?.[1];
    if (cover) covers.set(id, cover);
  }
  return covers;
}
