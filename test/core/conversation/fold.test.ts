// A conversation read back from its records: newest parts, the tree of parents, overlays, calls, usage, and the views of it.
import { describe, expect, test } from 'vitest';
import type { Conversation, FoldListener, Keep } from '../../../src/core/conversation/conversation.ts';
import { emptyConversation, partOfCall } from '../../../src/core/conversation/conversation.ts';
import { foldConversation } from '../../../src/core/conversation/fold.ts';
import { type View, type ViewedMessage, view } from '../../../src/core/conversation/view.ts';
import type { StoredRecord } from '../../../src/core/record.ts';
import { fc } from '../../support/property.ts';

let count = 0;
function record(kind: string, fields: object): StoredRecord {
  count += 1;
  return { version: 1, id: `r${count}`, kind, at: 100 + count, ...fields };
}

const text = (words: string, id?: string): object => ({ type: 'text', text: words, ...(id ? { id } : {}) });
const call = (toolCallId: string, more: object = {}): object => {
  return {
    type: 'dynamic-tool',
    toolName: 'Bash',
    toolCallId,
    state: 'input-available',
    input: { command: 'ls' },
    ...more,
  };
};
const done = (toolCallId: string, output: unknown = 'ok'): object =>
  call(toolCallId, { state: 'output-available', output });
const message = (id: string, role: string, parts: object[], metadata: object = {}): StoredRecord =>
  record('message', { message: { id, role, parts, metadata } });
const part = (message_id: string, part_id: string, seq: number, version: object, more: object = {}): StoredRecord =>
  record('part', { message_id, part_id, seq, part: version, ...more });
const overlay = (op: string, fields: object): StoredRecord => record('overlay', { op, ...fields });

const seen = (conversation: Conversation, which: View = 'all'): ViewedMessage[] =>
  [...view(conversation, which)].map((each) => each.message);
const ids = (records: StoredRecord[], which: View = 'model'): string[] =>
  seen(foldConversation(records), which).map(({ id }) => id);
const partsOf = (records: StoredRecord[], which: View = 'all'): unknown[] =>
  seen(foldConversation(records), which).flatMap(({ parts }) => parts);

describe('parts of a message', () => {
  test.each([
    [
      'a part that came with the message is replaced by its newest version',
      [call('c')],
      [['c', 1, done('c')]],
      [done('c')],
    ],
    ['a part of an unknown id is added at the end', [text('a')], [['x', 1, text('b')]], [text('a'), text('b')]],
    [
      'the highest seq counts, not the last record',
      [],
      [
        ['x', 2, text('new')],
        ['x', 1, text('old')],
      ],
      [text('new')],
    ],
    [
      'a version without input keeps the input',
      [call('c')],
      [['c', 1, done('c')].with(2, { ...done('c'), input: null })],
      [done('c')],
    ],
    ['a text is replaced by its own id', [text('He', 't')], [['t', 1, text('Hello', 't')]], [text('Hello', 't')]],
  ] as [string, object[], [string, number, object][], object[]][])('%s', (_name, before, versions, after) => {
    const records = [
      message('m', 'assistant', before),
      ...versions.map(([id, seq, version]) => part('m', id, seq, version)),
    ];
    expect(partsOf(records)).toEqual(after);
  });

  test('a part without an id is found by the key that its message keeps for it', () => {
    const first = message('m', 'assistant', [text('a'), text('b')], {
      prints: [
        ['k1', 'p'],
        ['k2', 'p'],
      ],
    });
    expect(partsOf([first, part('m', 'k2', 1, text('c'))])).toEqual([text('a'), text('c')]);
  });

  test('a part that comes before its message is kept until the message comes', () => {
    const records = [part('m', 'c', 1, done('c')), message('m', 'assistant', [call('c')])];
    expect(partsOf(records)).toEqual([done('c')]);
  });

  test('a version finds its part among many parts of a message', () => {
    const names = Array.from({ length: 40 }, (_, index) => `t${index}`);
    const records = [
      message('m', 'assistant', [text('first', 't0')]),
      ...names.map((name, index) => part('m', name, index + 1, text(name, name))),
      ...names.map((name, index) => part('m', name, index + 100, text(`${name} again`, name))),
    ];
    expect(partsOf(records)).toEqual(names.map((name) => text(`${name} again`, name)));
  });

  test('a message that comes again replaces the version before it and keeps its place', () => {
    const records = [message('a', 'user', [text('1')]), message('b', 'user', []), message('a', 'user', [text('2')])];
    expect(ids(records, 'all')).toEqual(['a', 'b']);
    expect(partsOf(records)).toEqual([text('2')]);
  });
});

describe('calls and usage', () => {
  test('a call is found with its newest state and its place', () => {
    const { calls } = foldConversation([
      message('m', 'assistant', [text('a'), call('c')]),
      part('m', 'c', 1, done('c')),
    ]);
    expect(calls.get('c')).toEqual({ message: 'm', part: 1, state: 'output-available' });
  });

  test('a call is found among parts whose message has not come yet', () => {
    const early = [part('m', 'c', 2, done('c')), part('m', 'c', 1, call('c'))];
    const folded = foldConversation(early);
    expect(folded.calls.get('c')).toEqual({ message: 'm', part: 0, state: 'output-available' });
    expect(partOfCall(folded, 'c')).toEqual(done('c'));
    foldConversation([message('m', 'assistant', [text('a')])], folded);
    expect(folded.calls.get('c')).toEqual({ message: 'm', part: 1, state: 'output-available' });
  });

  test.each([
    ['its message', []],
    ['a later part', [part('m', 'x', 1, text('b'), { usage: { input: 2 } })]],
    ['a line that repeats it', [record('raw', { repeats: 'm', usage: { input: 2 } })]],
    ['a list that repeats it', [record('raw', { retold: [{ repeats: 'm', usage: { input: 2 } }] })]],
  ])('usage of a message is the newest account of it: by %s', (_name, more) => {
    const input = more.length === 0 ? 1 : 2;
    const folded = foldConversation([message('m', 'assistant', [], { usage: { input: 1 } }), ...more]);
    expect([...folded.usage]).toEqual([['m', { input }]]);
    expect(folded.messages.get('m')?.metadata).toEqual({ usage: { input } });
  });

  test('what only a reader of transcripts needs is not in the metadata', () => {
    const folded = foldConversation([message('m', 'user', [], { lines: [{ uuid: 'x' }], prints: [], model: 'x' })]);
    expect(folded.messages.get('m')?.metadata).toEqual({ model: 'x' });
  });
});

describe('overlays and views', () => {
  const talk = ['a', 'b', 'c', 'd'].map((id) => message(id, 'user', [text(id)]));

  test.each([
    ['ids are hidden', [overlay('hide', { ids: ['b', 'd'] })], ['a', 'c']],
    ['a range is hidden, both ends included', [overlay('hide', { range: { from: 'b', to: 'c' } })], ['a', 'd']],
    [
      'what is shown again is in view',
      [overlay('hide', { ids: ['b', 'c'] }), overlay('show', { ids: ['c'] })],
      ['a', 'c', 'd'],
    ],
    [
      'a range without its end hides nothing',
      [overlay('hide', { range: { from: 'b', to: 'x' } })],
      ['a', 'b', 'c', 'd'],
    ],
    ['an unknown id hides nothing', [overlay('hide', { ids: ['x'] })], ['a', 'b', 'c', 'd']],
  ])('%s', (_name, overlays, left) => {
    expect(ids([...talk, ...overlays])).toEqual(left);
    expect(ids([...talk, ...overlays], 'all')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the view of all says what hid a message, and when', () => {
    const hide = overlay('hide', { ids: ['b'], reason: 'rollback' });
    const hidden = seen(foldConversation([...talk, hide])).map((each) => each.hidden);
    expect(hidden).toEqual([null, { by: 'rollback', at: hide.at, overlay: hide.id }, null, null]);
    expect(seen(foldConversation([...talk, hide]), 'model').some((each) => 'hidden' in each)).toBe(false);
  });

  test('a hidden message stays hidden if it comes again', () => {
    expect(ids([...talk, overlay('hide', { ids: ['b'] }), message('b', 'user', [])])).toEqual(['a', 'c', 'd']);
  });

  test('a pruned output is replaced in the view of the model alone', () => {
    const records = [message('m', 'assistant', [done('c', 'x'.repeat(400))]), overlay('prune', { ids: ['c'] })];
    expect(partsOf(records, 'model')).toEqual([done('c', '<output pruned, 100 tokens>')]);
    expect(partsOf(records, 'all')).toEqual([done('c', 'x'.repeat(400))]);
    expect(partsOf([...records, overlay('unprune', { ids: ['c'] })], 'model')).toEqual([done('c', 'x'.repeat(400))]);
  });

  test('the summary of a compaction comes before the messages that the compaction left in view', () => {
    const summary = message('s', 'user', [text('So far')], { is_compact_summary: true });
    const system = message('sys', 'system', [text('You are')]);
    const records = [system, ...talk, overlay('hide', { ids: ['a', 'b', 'c'] }), summary, message('e', 'user', [])];
    expect(ids(records)).toEqual(['sys', 's', 'd', 'e']);
  });

  test('words of a sub-agent in the transcript of its caller are not sent to the model', () => {
    expect(ids([...talk, message('side', 'user', [], { is_sidechain: true })])).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a branch leads from the first message along the parents', () => {
    const of = (id: string, parent_id: string | null): StoredRecord => message(id, 'user', [], { parent_id });
    const records = [of('a', null), of('b', 'a'), of('c', 'a'), of('d', 'c'), of('loop', 'pool'), of('pool', 'loop')];
    expect(ids(records, { branch: 'd' })).toEqual(['a', 'c', 'd']);
    expect(ids(records, { branch: 'x' })).toEqual([]);
    expect(ids(records, { branch: 'loop' })).toEqual(['pool', 'loop']);
  });
});

describe('a caller that has no room for all', () => {
  const keep: Keep = {
    part: (each) => (each.type === 'text' ? { ...each, text: '' } : each),
    metadata: () => ({}),
  };

  test('holds of parts and metadata what it chooses', () => {
    const records = [
      message('m', 'user', [text('a'), call('c')], { parent_id: 'p' }),
      part('m', 'x', 1, text('b'), { usage: { input: 1 } }),
    ];
    const folded = foldConversation(records, emptyConversation(), { keep });
    expect(seen(folded)[0]).toMatchObject({
      parts: [text(''), call('c'), text('')],
      metadata: { usage: { input: 1 } },
    });
    expect(folded.parents.size).toBe(0);
    expect(records).toMatchObject([{ message: { parts: [text('a'), call('c')] } }, { part: text('b') }]);
  });

  test('is notified of each record before anything of it is dropped', () => {
    const noted: unknown[] = [];
    const listener: FoldListener = {
      message: ({ id, parts }, metadata) => noted.push([id, parts.map((each) => each.part), metadata]),
      part: (id, version, { lines }) => noted.push([id, version, lines]),
      raw: ({ key }) => noted.push(key),
      overlay: (op, targets, reason) => noted.push([op, targets, reason]),
      messageOfLine: (key) => (key === 'line' ? 'm' : undefined),
    };
    const records = [
      message('m', 'user', [text('a')], { lines: [{ key: 'k' }] }),
      message('n', 'user', []),
      part('early', 'x', 1, text('b'), { lines: [] }),
      record('raw', { key: 'l', repeats: 'line', usage: { input: 7 } }),
      overlay('hide', { range: { from: 'm', to: 'n' }, reason: 'rollback' }),
      overlay('show', { ids: ['unknown'] }),
    ];
    const folded = foldConversation(records, emptyConversation(), { keep, listener });
    expect(noted).toEqual([
      ['m', [text('a')], { lines: [{ key: 'k' }] }],
      ['n', [], {}],
      ['early', text('b'), []],
      'l',
      ['hide', ['m', 'n'], 'rollback'],
      ['show', ['unknown'], undefined],
    ]);
    expect(folded.usage.get('m')).toEqual({ input: 7 });
  });
});

describe('any records', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const somePart = fc.oneof(
    id.map((each) => call(each)),
    id.map((each) => done(each)),
    fc.tuple(fc.string(), fc.option(id, { nil: undefined })).map(([words, own]) => text(words, own)),
    fc.constant({}),
  );
  const usage = fc.option(fc.record({ input: fc.nat(9) }), { nil: undefined });
  const someRecord = fc.oneof(
    fc
      .tuple(
        id,
        fc.constantFrom('user', 'assistant', 'system', 'stranger'),
        fc.array(somePart, { maxLength: 3 }),
        usage,
        id,
      )
      .map(([each, role, parts, used, parent_id]) => message(each, role, parts, { usage: used, parent_id })),
    fc
      .tuple(id, id, fc.nat(5), somePart, usage)
      .map(([each, key, seq, version, used]) => part(each, key, seq, version, { usage: used })),
    fc
      .tuple(fc.constantFrom('hide', 'show', 'prune', 'unprune', 'other'), fc.array(id, { maxLength: 3 }))
      .map(([op, listed]) => overlay(op, { ids: listed })),
    fc.tuple(fc.constantFrom('hide', 'show'), id, id).map(([op, from, to]) => overlay(op, { range: { from, to } })),
    fc.tuple(id, usage).map(([repeats, used]) => record('raw', { repeats, usage: used })),
    fc.tuple(fc.constantFrom('message', 'part', 'overlay', 'raw', 'later'), fc.jsonValue()).map(([kind, anything]) => {
      return record(kind, { message: anything, part: anything, ids: anything, range: anything, message_id: anything });
    }),
  );

  test('folding step by step gives what folding all at once gives', () => {
    fc.assert(
      fc.property(fc.array(fc.array(someRecord, { maxLength: 6 }), { maxLength: 6 }), (steps) => {
        const gradual = emptyConversation();
        for (const records of structuredClone(steps)) foldConversation(records, gradual);
        expect(gradual).toEqual(foldConversation(structuredClone(steps.flat())));
      }),
    );
  });

  test('a caller that holds no part knows the same messages, calls, overlays and usage', () => {
    const none: Keep = {
      part: (each) => (each.type === 'dynamic-tool' ? each : { type: 'text', text: '' }),
      metadata: (own) => own,
    };
    fc.assert(
      fc.property(fc.array(someRecord, { maxLength: 20 }), (records) => {
        const whole = foldConversation(records);
        const light = foldConversation(records, emptyConversation(), { keep: none });
        const shapeOf = ({ messages, early, ...rest }: Conversation): unknown => [
          [...messages.values()].map((each) => ({ ...each, parts: each.parts.map(({ key, seq }) => [key, seq]) })),
          [...early.values()].map(({ id: each, parts }) => [each, parts.map(({ key, seq }) => [key, seq])]),
          rest,
        ];
        expect(shapeOf(light)).toEqual(shapeOf(whole));
      }),
    );
  });

  test('the model sees a part of all, and no view changes the conversation', () => {
    fc.assert(
      fc.property(fc.array(someRecord, { maxLength: 20 }), (records) => {
        const folded = foldConversation(records);
        const before = structuredClone(folded);
        const all = new Map(seen(folded, 'all').map((each) => [each.id, each]));
        for (const { id: each } of seen(folded, 'model')) expect(all.get(each)?.hidden).toBe(null);
        for (const each of all.keys()) expect(seen(folded, { branch: each }).at(-1)?.id).toBe(each);
        expect(folded).toEqual(before);
      }),
    );
  });
});

describe('a newer version of a message', () => {
  test('leaves no call and no parent of the version before it', () => {
    const folded = foldConversation([
      message('m', 'assistant', [call('a'), call('b')], { parent_id: 'p' }),
      message('m', 'assistant', [call('b')]),
    ]);
    expect([...folded.calls]).toEqual([['b', { message: 'm', part: 0, state: 'input-available' }]]);
    expect(folded.parents.size).toBe(0);
  });

  test('keeps a call that another message has taken over', () => {
    const folded = foldConversation([
      message('m', 'assistant', [call('a')]),
      message('n', 'assistant', [done('a')]),
      message('m', 'assistant', []),
    ]);
    expect(folded.calls.get('a')).toMatchObject({ message: 'n' });
  });

  test.each([
    [
      'came with a part before the message',
      [part('m', 'x', 1, text('a'), { usage: { input: 3 } }), message('m', 'assistant', [])],
    ],
    [
      'came with the version before',
      [message('m', 'assistant', [], { usage: { input: 3 } }), message('m', 'assistant', [])],
    ],
  ])('has the usage that %s', (_, records) => {
    const folded = foldConversation(records);
    expect(folded.usage.get('m')).toEqual({ input: 3 });
    expect(folded.messages.get('m')?.metadata['usage']).toEqual({ input: 3 });
  });
});
