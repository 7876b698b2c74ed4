// session.json: under 64 KiB whatever happens, whole when it is read back, and what is unknown in it is kept.
import { describe, expect, test } from 'vitest';
import { newSession, type Session } from '../../src/core/session/session.ts';
import { encodeTree } from '../../src/core/tree.ts';
import { readSession, writeSession } from '../../src/history/chain/session-document.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { errorOf, makeProject } from '../support/store.ts';

const { repository } = makeProject();
const { objects } = repository;

/** Writes a session as a step does; gives its tree and the bytes of session.json. */
function write(session: Session): { tree: string; bytes: Buffer } {
  const { blob, payloads } = writeSession(objects, session);
  const payload = encodeTree(payloads.map(({ name, mode, oid }) => ({ name, mode, oid })));
  const entries = [{ mode: '100644', name: 'session.json', oid: blob }];
  if (payloads.length > 0) entries.push({ mode: '40000', name: 'payload', oid: objects.write('tree', payload) });
  return { tree: objects.write('tree', encodeTree(entries)), bytes: objects.readAs(blob, 'blob') };
}

const base: Session = { ...newSession('s-1', 'task', null, 'b'.repeat(40), 1), step: 1 };

const long = fc
  .tuple(fc.constantFrom('x', 'é', '\ud800', '"'), fc.integer({ min: 0, max: 9_000 }))
  .map(([unit, count]) => unit.repeat(count));
/** A value that weighs something: a text, many short texts, or objects with both. */
const heavy = fc
  .tuple(fc.constantFrom('text', 'texts', 'objects', 'number'), long, fc.integer({ min: 0, max: 500 }))
  .map(([kind, text, count]): unknown => {
    if (kind === 'text') return text;
    if (kind === 'number') return count;
    const texts = Array.from({ length: count }, (_, index) => `${index} ${text.slice(0, 30)}`);
    return kind === 'texts'
      ? texts
      : texts.slice(0, 20).map((name) => ({ name, text: text.slice(0, 1_300), deep: [null] }));
  });
const session = fc
  .record({
    task_description: long,
    question: long,
    more: fc.array(heavy, { maxLength: 30, size: 'max' }),
    cursors: fc.array(heavy, { maxLength: 6, size: 'max' }),
  })
  .map(({ task_description, question, more, cursors }): Session => {
    const state = { kind: 'AwaitingUser', question, asked_at: 7 } as const;
    const keys = Object.fromEntries(more.map((value, index) => [`key_${index}`, value]));
    const sources = cursors.map((cursor, index) => ({ transcript: `/t/${index}`, cursor }));
    const whole = { ...keys, ...base, task_description, session_state: state, sources };
    return JSON.parse(JSON.stringify(whole)) as Session;
  });

describe('session.json', () => {
  test('is under 64 KiB and comes back as it was, whatever is in it', () => {
    let relieved = 0;
    fc.assert(
      fc.property(session, (given) => {
        const { tree, bytes } = write(given);
        relieved += bytes.includes('"payload":"session-value-') ? 1 : 0;
        expect(bytes.length).toBeLessThan(65_536);
        expect(JSON.stringify(readSession(objects, tree, 'here'))).toBe(JSON.stringify(given));
      }),
      { numRuns: 40, endOnFailure: true },
    );
    // The limit was reached: some of it had to go.
    expect(relieved).toBeGreaterThan(20);
  });

  test('many short values together go as one, with a preview', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => `entry ${index} é`);
    const { tree, bytes } = write({ ...base, list });
    expect(bytes.length).toBeLessThan(2_000);
    const stub = JSON.parse(bytes.toString('utf8')).list;
    expect(stub).toMatchObject({ payload: 'session-value-list', encoding: 'json' });
    expect(stub.preview).toMatch(/^\["entry 0 \?\?",/);
    expect(readSession(objects, tree, 'here')['list']).toEqual(list);
  });

  test('a long text within a value that has to go comes back whole too', () => {
    const cursor = { long: 'x'.repeat(5_000), list: Array.from({ length: 7_000 }, (_, index) => `entry ${index}`) };
    const { tree } = write({ ...base, own: { cursor } });
    expect(readSession(objects, tree, 'here')['own']).toEqual({ cursor });
  });
  test('a value with something in it that looks like the stub of that very value is brought back once', () => {
    const look = { preview: '', bytes: 1, sha256: '', payload: 'session-value-own', encoding: 'json' };
    const own = { look, list: Array.from({ length: 7_000 }, (_, index) => `entry ${index}`) };
    const { tree } = write({ ...base, own });
    expect(readSession(objects, tree, 'here')['own']).toMatchObject({ list: own.list });
  });

  test('too many keys are refused, and nothing is written that could not be read', () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`key_${index}`, index]));
    expect(errorOf(() => writeSession(objects, { ...base, ...many })).code).toBe('invalid_input');
  });

  test('what a step does not know is kept to the next one', () => {
    const project = makeProject();
    ctx.startSession(project.repository, 't');
    // As another version of ctx, or of an agent's reader, would have left it.
    const { refs } = project.repository;
    const ref = refs.stage() as string;
    const head = refs.read(ref) as string;
    const own = { deep: { list: [1, null, 'x'.repeat(5_000)] } };
    const tree = project.repository.objects;
    const { blob, payloads } = writeSession(tree, { ...base, session_id: ref.slice(14), own });
    const step = tree.write('blob', Buffer.from('{"version":1,"id":"1","kind":"task","at":1,"content":"t"}\n'));
    const payload = tree.write('tree', encodeTree(payloads.map(({ name, mode, oid }) => ({ name, mode, oid }))));
    const root = tree.write(
      'tree',
      encodeTree([
        { mode: '100644', name: 'session.json', oid: blob },
        { mode: '100644', name: 'step.jsonl', oid: step },
        { mode: '40000', name: 'payload', oid: payload },
      ]),
    );
    const commit = tree
      .readAs(head, 'commit')
      .toString('utf8')
      .replace(/^tree .*/, `tree ${root}`);
    refs.move({ pointer: ref, old: head, new: tree.write('commit', Buffer.from(commit)) }, { at: 1, message: 'x' });
    ctx.observeNote(project.repository, 'more');
    const { oid } = ctx.flushStep(project.open());
    const { objects: after } = project.open();
    const text = after.readAs(oid, 'commit').toString('utf8');
    expect(readSession(after, /^tree (.*)/.exec(text)?.[1] as string, 'here')['own']).toEqual(own);
  });
});

describe('a damaged one', () => {
  const treeOf = (text: string): string => {
    const blob = objects.write('blob', Buffer.from(text));
    return objects.write('tree', encodeTree([{ mode: '100644', name: 'session.json', oid: blob }]));
  };
  const whole = JSON.stringify(base);

  test.each<[string, string, string]>([
    ['no JSON', whole.slice(0, -1), 'its session.json is no JSON'],
    ['no object', '[]', 'its session.json is no object'],
    ['no version', whole.replace('"version":1,', ''), 'its session.json has no version'],
    ['a version that is none', whole.replace('"version":1,', '"version":"1",'), 'its session.json has no version'],
    ['no state', whole.replace('Running', 'Walking'), 'session_state is unknown'],
    ['no base', whole.replace('"base"', '"case"'), '"base" is missing or wrong'],
  ])('%s: is named with where it stands', (_words, text, why) => {
    const error = errorOf(() => readSession(objects, treeOf(text), 'step f00'));
    expect(error.code).toBe('damaged');
    expect(error.message).toMatch(/^step f00 is damaged: /);
    expect(error.message).toContain(why);
  });

  test('missing altogether', () => {
    const empty = objects.write('tree', Buffer.alloc(0));
    expect(errorOf(() => readSession(objects, empty, 'step f00')).message).toContain('it has no session.json');
  });

  test('of a newer version it is refused, not damaged', () => {
    const error = errorOf(() => readSession(objects, treeOf(whole.replace('"version":1', '"version":2')), 'step f00'));
    expect(error.code).toBe('newer_version');
    expect(error.message).toContain('step f00');
  });

  test.each([
    ['title', 'no command needs'],
    ['task_description', 'every command needs'],
  ])('with a %s, which %s, whose payload is gone', (key) => {
    const { blob } = writeSession(objects, { ...base, [key]: 'x'.repeat(5_000) });
    const tree = objects.write('tree', encodeTree([{ mode: '100644', name: 'session.json', oid: blob }]));
    expect(errorOf(() => readSession(objects, tree, 'here'))).toMatchObject({
      code: 'damaged',
      message: `here is damaged: its payload/session-${key}, a text of 5000 bytes, is missing`,
    });
  });
});
