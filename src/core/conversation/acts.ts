/** The commands of ctx that changed what the model sees: their overlays, what they did, and the opposite of that. */
import type { AnyBody } from '../records/record.ts';
import type { Act, Conversation } from './conversation.ts';

/** A run of a command that changed what the model sees. */
export interface PastAct extends Act {
  /** The index of its first overlay. */
  index: number;
}

/** The commands that changed what the model sees, in order. */
export function actsOf({ overlays }: Conversation): PastAct[] {
  const acts = new Map<string, PastAct>();
  for (const [index, { act }] of overlays.entries()) if (act && !acts.has(act.id)) acts.set(act.id, { ...act, index });
  return [...acts.values()];
}

/** Returns whether an act counts: no other act that counts takes it back. */
export function counts(acts: readonly PastAct[], { id }: PastAct): boolean {
  return !acts.some((later) => later.of === id && counts(acts, later));
}

/** Messages that an act hides, shows, prunes and unprunes. */
export type Deeds = Record<'hide' | 'show' | 'prune' | 'unprune', readonly string[]>;

const OPS = ['hide', 'show', 'prune', 'unprune'] as const satisfies readonly (keyof Deeds)[];

/** Makes the overlays of an act. An act that changes nothing has one all the same, by which it is known. */
export function overlaysOf({ id, by, of, to, world }: Act, deeds: Partial<Deeds>): AnyBody[] {
  const ops = OPS.filter((op) => (deeds[op] ?? []).length > 0);
  return (ops.length > 0 ? ops : (['hide'] as const)).map((op) => ({
    kind: 'overlay',
    op,
    ids: [...(deeds[op] ?? [])],
    reason: by,
    by,
    act: id,
    ...(of === undefined ? {} : { of }),
    ...(to === undefined ? {} : { to }),
    ...(world === undefined ? {} : { world }),
  }));
}

/** Returns what an act did to the view; a compaction has also brought the message with its summary. */
export function deedsOf({ overlays }: Conversation, act: string): Deeds {
  const own = overlays.filter((overlay) => overlay.act?.id === act);
  const done = (op: keyof Deeds): string[] => own.flatMap((overlay) => (overlay.op === op ? overlay.targets : []));
  const [first] = own;
  const summary = first?.act?.by === 'compact' && first.act.to !== undefined ? [first.act.to] : [];
  return { hide: done('hide'), show: [...done('show'), ...summary], prune: done('prune'), unprune: done('unprune') };
}

/** Returns the opposite of what an act did, as far as that still shows. */
export function oppositeOf(conversation: Conversation, act: string): Deeds {
  const { messages, pruned } = conversation;
  const done = deedsOf(conversation, act);
  return {
    hide: done.show.filter((id) => messages.get(id)?.hidden === null),
    show: done.hide.filter((id) => (messages.get(id)?.hidden ?? null) !== null),
    prune: done.unprune.filter((id) => !pruned.has(id)),
    unprune: done.prune.filter((id) => pruned.has(id)),
  };
}
