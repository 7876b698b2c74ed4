// Any sequence of operations on a conversation gives the view of a reference model, byte for byte, and loses nothing.
import { expect, test } from 'vitest';
import { actsOf, oppositeOf, overlaysOf } from '../../../src/core/conversation/acts.ts';
import { planBranch } from '../../../src/core/conversation/branch.ts';
import type { Conversation } from '../../../src/core/conversation/conversation.ts';
import { foldConversation } from '../../../src/core/conversation/fold.ts';
import { prunable } from '../../../src/core/conversation/prune.ts';
import { rewindTo, uncompact, unrewind } from '../../../src/core/conversation/rewind.ts';
import { planCompaction } from '../../../src/core/conversation/tail.ts';
import { seenByModel, type ViewedMessage, view } from '../../../src/core/conversation/view.ts';
import type { AnyBody } from '../../../src/core/records/record.ts';
import { fc } from '../../support/property.ts';
import { ModelConversation } from './model.ts';

type Operation =
  | { op: 'say' | 'unrewind' | 'uncompact' | 'restore' | 'reload' | 'undo' }
  | { op: 'answer'; call: boolean }
  | { op: 'rewind'; to: number }
  | { op: 'compact'; tail: number }
  | { op: 'prune'; turns: number }
  | { op: 'branch'; at: number };

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ op: 'say' } as const) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('answer' as const), call: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('rewind' as const), to: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('compact' as const), tail: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('branch' as const), at: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('prune' as const), turns: fc.nat(2) }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...['unrewind', 'uncompact', 'restore', 'reload', 'undo', 'undo'].map((op) => ({ op }))),
  },
) as fc.Arbitrary<Operation>;

const OUTPUT = 'x'.repeat(2000);

/** A conversation as ctx keeps it: records, and their fold. */
class Kept {
  records: AnyBody[] = [];
  conversation: Conversation = foldConversation([]);
  /** Brings the model back to before the last command; null if something was said since, or there was none. */
  undone: (() => void) | null = null;
  #ids = 0;

  newId(): string {
    this.#ids += 1;
    return `i${this.#ids}`;
  }

  add(...records: AnyBody[]): void {
    this.records.push(...records);
    foldConversation(records, this.conversation);
  }

  say(id: string, role: string, call: boolean, metadata: object = {}): void {
    const parts = [{ type: 'text', text: `words of ${id}` }, ...(call ? [callOf(id)] : [])];
    this.add({ kind: 'message', message: { id, role, parts, metadata } });
  }
}

const callOf = (id: string): object => ({
  type: 'dynamic-tool',
  toolName: 'Bash',
  toolCallId: `c-${id}`,
  state: 'output-available',
  input: {},
  output: OUTPUT,
});

const seenOf = (conversation: Conversation): ViewedMessage[] =>
  [...view(conversation, 'model')].map((one) => one.message);

/** Returns the model's expected form of a message. */
function expected(model: ModelConversation, kept: Kept): string {
  const parts = (id: string): unknown[] => {
    const whole = kept.conversation.messages.get(id)?.parts.map(({ part }) => part) ?? [];
    return whole.map((part) =>
      part.type === 'dynamic-tool' && model.pruned.has(String(part.toolCallId))
        ? { ...part, output: '<output pruned, 500 tokens>' }
        : part,
    );
  };
  return JSON.stringify(model.view.map((id) => [id, model.role(id), parts(id)]));
}

const actual = ({ conversation }: Kept): string =>
  JSON.stringify(seenOf(conversation).map(({ id, role, parts }) => [id, role, parts]));

function compact(kept: Kept, model: ModelConversation, tail: number): void {
  const seen = seenByModel(kept.conversation);
  const plan = planCompaction(seen, { turns: tail, budget: null, split: false }, () => 1);
  const summary = kept.newId();
  expect(plan !== null).toBe(model.compact(summary, tail));
  if (!plan) return;
  kept.say(summary, 'assistant', false, { is_compact_summary: true, recorded_by: 'ctx' });
  const hide = plan.summarised.map(({ id }) => id);
  kept.add(...overlaysOf({ id: kept.newId(), by: 'compact', to: summary }, { hide }));
}

/** Does one operation to both. */
function run(operation: Operation, kept: Kept, model: ModelConversation): void {
  const { conversation } = kept;
  const act = (by: string, of?: string): { id: string; by: string; of?: string | undefined } => ({
    id: kept.newId(),
    by,
    of,
  });
  switch (operation.op) {
    case 'say':
    case 'answer': {
      const id = kept.newId();
      const role = operation.op === 'say' ? 'user' : 'assistant';
      kept.say(id, role, operation.op === 'answer' && operation.call);
      model.append(id, role);
      return;
    }
    case 'rewind': {
      const id = model.users[operation.to % Math.max(1, model.users.length)];
      const message = conversation.messages.get(id ?? '');
      if (!message) return;
      const change = rewindTo(conversation, message);
      const isChange = change.hide.length + change.show.length > 0;
      expect(model.rewind(message.id)).toBe(isChange);
      if (isChange) kept.add(...overlaysOf(act('rewind'), change));
      return;
    }
    case 'unrewind': {
      const back = unrewind(conversation);
      expect(model.unrewind()).toBe(back !== null);
      if (back) kept.add(...overlaysOf(act('unrewind', back.act.id), back));
      return;
    }
    case 'compact':
      compact(kept, model, operation.tail);
      return;
    case 'uncompact': {
      const back = uncompact(conversation);
      expect(model.uncompact()).toBe(back !== null);
      if (back) kept.add(...overlaysOf(act('uncompact', back.act?.id), back));
      return;
    }
    case 'prune': {
      const found = prunable(conversation, seenByModel(conversation), { turns: operation.turns }, () => 500);
      for (const { call } of found) model.prune(call);
      if (found.length > 0) kept.add(...overlaysOf(act('prune'), { prune: found.map(({ call }) => call) }));
      return;
    }
    case 'restore':
      if (model.pruned.size > 0) kept.add(...overlaysOf(act('restore'), { unprune: [...conversation.pruned.keys()] }));
      model.restore();
      return;
    case 'branch':
      branch(kept, model, operation.at);
      return;
    case 'undo': {
      // The last thing that was done was a command: it can be taken back exactly, and so can its undo.
      const last = actsOf(conversation).at(-1);
      if (!last || kept.undone === null) return;
      const restore = kept.undone;
      kept.undone = model.save();
      kept.add(...overlaysOf(act('undo', last.id), oppositeOf(conversation, last.id)));
      restore();
      return;
    }
    case 'reload':
      kept.conversation = foldConversation(kept.records);
  }
}

/** A branch at a message in view has the same view up to there, under new ids. */
function branch(kept: Kept, model: ModelConversation, at: number): void {
  const id = model.view[at % Math.max(1, model.view.length)];
  const message = kept.conversation.messages.get(id ?? '');
  if (!message) return;
  const plan = planBranch(kept.conversation, message, () => kept.newId());
  const copies = plan.copies.map(({ source, id: copy, metadata }): AnyBody => {
    const parts = source.parts.map(({ part }) => part);
    return { kind: 'message', message: { id: copy, role: source.role, parts, metadata } };
  });
  const copied = foldConversation([...copies, ...overlaysOf({ id: 'b', by: 'branch' }, { prune: plan.pruned })]);
  const words = (messages: ViewedMessage[]): string => JSON.stringify(messages.map(({ role, parts }) => [role, parts]));
  const seen = seenOf(kept.conversation);
  expect(words(seenOf(copied))).toBe(words(seen.slice(0, seen.findIndex((one) => one.id === id) + 1)));
  const known = new Set(kept.conversation.order);
  expect(plan.copies.some((one) => known.has(one.id))).toBe(false);
}

test('any sequence of operations gives the view of the model, byte for byte, and loses no message', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(anyOperation, { maxLength: 40 }), (operations) => {
      const kept = new Kept();
      const model = new ModelConversation();
      for (const operation of operations) {
        const before = actual(kept);
        const acts = actsOf(kept.conversation).length;
        const restore = model.save();
        run(operation, kept, model);
        if (operation.op === 'say' || operation.op === 'answer') kept.undone = null;
        else if (operation.op !== 'undo' && actsOf(kept.conversation).length > acts) kept.undone = restore;
        expect(actual(kept)).toBe(expected(model, kept));
        if (actual(kept) !== before) seen.add(operation.op);
      }
      expect(kept.conversation.order).toEqual(model.said.map(({ id }) => id));
    }),
    { numRuns: 300 },
  );
  // Each operation has changed a view, so that none of them was only refused.
  expect([...seen].sort()).toEqual([
    'answer',
    'compact',
    'prune',
    'restore',
    'rewind',
    'say',
    'uncompact',
    'undo',
    'unrewind',
  ]);
});
