// Long texts leave a document and come back as they were, whatever the document holds.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  externalise,
  INLINE_LIMIT,
  internalise,
  isStub,
  PREVIEW_LENGTH,
  type Stub,
} from '../../src/core/externalise.ts';
import { anyText, fc } from '../support/property.ts';

/** A place for payloads. */
function keeper() {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    keep: (name: string, content: Buffer): string => {
      expect(kept.has(name)).toBe(false);
      kept.set(name, content);
      return createHash('sha256').update(content).digest('hex');
    },
    fetch: ({ payload }: Stub): Buffer | null => kept.get(payload) ?? null,
  };
}

const stub = (rest: object = {}): object => ({ preview: 'p', bytes: 1, sha256: 's', payload: 'elsewhere', ...rest });

const longText = fc
  .tuple(
    fc.constantFrom('x', 'é', '😀', '\ud800', '\udc00', '\n', '\0', '"', '\ufeff'),
    fc.integer({ min: 900, max: 5_000 }),
  )
  .map(([unit, count]) => unit.repeat(count));
const key = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    'a',
    'A',
    'a b',
    'a_b',
    'a.b',
    '../x',
    'preview',
    'payload',
    '\0',
  ),
  anyText(5),
);
const { document } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(longText, anyText(20), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('document'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie('document')), { selector: ([name]) => name, maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
    fc.record({
      preview: fc.string({ maxLength: 3 }),
      bytes: fc.nat(),
      sha256: fc.string({ maxLength: 3 }),
      payload: key,
    }),
  ),
}));
/** As it comes from a file or a pipe. */
const json = document.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('round trip', () => {
  test('any JSON comes back as it was, through JSON, with the document small', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { keep, fetch } = keeper();
        const before = JSON.stringify(value);
        const stored = JSON.stringify(externalise(value, 'p', keep));
        expect(JSON.stringify(value)).toBe(before);
        expect(JSON.stringify(internalise(JSON.parse(stored), fetch))).toBe(before);
      }),
      { numRuns: 400 },
    );
  });

  test('no text in the document is longer than it may be', () => {
    const check = (node: unknown): void => {
      if (typeof node === 'string') expect(Buffer.byteLength(node)).toBeLessThanOrEqual(INLINE_LIMIT);
      else if (typeof node === 'object' && node !== null) for (const item of Object.values(node)) check(item);
    };
    fc.assert(
      fc.property(json, (value) => check(externalise(value, 'p', keeper().keep))),
      { numRuns: 100 },
    );
  });

  test.each<[string, unknown]>([
    ['one that cannot be had', stub()],
    ['one with more in it', stub({ more: 1, encoding: 'json' })],
    ['in a list', [stub(), stub()]],
  ])('what looks like a stub stays: %s', (_words, value) => {
    const { keep, fetch } = keeper();
    expect(internalise(externalise(value, 'p', keep), fetch)).toEqual(value);
  });
  test('what looks like a stub and holds a long text', () => {
    const value = stub({ more: 'x'.repeat(5_000) });
    const { keep, fetch } = keeper();
    expect(internalise(externalise(value, 'p', keep), fetch)).toEqual(value);
  });
  test('what looks like a stub of a payload that is no JSON', () => {
    const value = stub({ payload: 'p-text', encoding: 'json' });
    expect(internalise(value, () => Buffer.from('no JSON'))).toEqual(value);
  });
});

describe('what is left behind', () => {
  test('preview, bytes, sha256 and the name of the payload', () => {
    const { kept, keep } = keeper();
    const text = `${'é'.repeat(3_000)}end`;
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(externalise({ a: { 'b c': [text] } }, 'id', keep)).toEqual({
      a: { 'b c': [{ preview: 'é'.repeat(200), bytes: 6_003, sha256, payload: 'id-a.b_c.0' }] },
    });
    expect([...kept]).toEqual([['id-a.b_c.0', Buffer.from(text)]]);
    expect(PREVIEW_LENGTH).toBe(200);
  });

  test.each<[string, string, boolean]>([
    ['4,096 bytes', 'x'.repeat(4_096), false],
    ['4,097 bytes', 'x'.repeat(4_097), true],
    ['2,048 letters of two bytes', 'é'.repeat(2_048), false],
    ['2,049 letters of two bytes', 'é'.repeat(2_049), true],
    ['1,366 letters of three bytes', '日'.repeat(1_366), true],
    ['1,365 letters of three bytes', '日'.repeat(1_365), false],
  ])('%s: leaves %s', (_words, text, leaves) => {
    const { kept, keep } = keeper();
    expect(isStub(externalise(text, 'p', keep))).toBe(leaves);
    expect(kept.size).toBe(leaves ? 1 : 0);
  });

  test('a preview never ends in half a character', () => {
    const { keep } = keeper();
    const left = externalise({ t: `${'x'.repeat(199)}${'😀'.repeat(2_000)}` }, 'p', keep);
    expect((left.t as unknown as { preview: string }).preview).toBe('x'.repeat(199));
  });

  test('a text that UTF-8 cannot hold is kept as JSON', () => {
    const { kept, keep, fetch } = keeper();
    const text = `\ud800${'x'.repeat(5_000)}`;
    const left = externalise(text, 'p', keep);
    expect(left).toMatchObject({ encoding: 'json', payload: 'p-' });
    expect(kept.get('p-')?.toString('utf8')).toBe(JSON.stringify(text));
    expect(internalise(left, fetch)).toBe(text);
  });

  test('names are safe and distinct, also without regard to case', () => {
    const { kept, keep } = keeper();
    const long = 'x'.repeat(5_000);
    const keys = [
      'a/b',
      'a\\b',
      'a_b',
      'A_B',
      'a:b',
      '..',
      '../../etc/passwd',
      'é',
      '',
      'k'.repeat(300),
      'K'.repeat(300),
    ];
    externalise(Object.fromEntries(keys.map((name) => [name, long])), 'id', keep);
    const names = [...kept.keys()];
    expect(names).toHaveLength(keys.length);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(keys.length);
    for (const name of names) expect(name).toMatch(/^id-[A-Za-z0-9_.]{0,80}(-\d+)?$/);
  });
});

describe('what is a stub', () => {
  test.each<[unknown, boolean]>([
    [stub(), true],
    [stub({ bytes: 1.5 }), false],
    [stub({ bytes: '1' }), false],
    [stub({ preview: null }), false],
    [stub({ payload: 1 }), false],
    [stub({ sha256: undefined }), false],
    [[], false],
    ['x', false],
    [null, false],
  ])('%j: %s', (value, expected) => {
    expect(isStub(value)).toBe(expected);
  });
});
