// Trees with any names in them: what Git lists of a tree of ours, and of a damaged one what its bytes say, or damaged.
import { expect, test } from 'vitest';
import { decodeTree, encodeTree, type TreeEntry } from '../../src/core/tree.ts';
import { anyText, fc } from '../support/property.ts';
import { gitBytes, makeProject } from '../support/store.ts';
import { harms, runs, spoilt, valueOr } from './fuzz.ts';

const name = fc
  .oneof(
    fc.constantFrom(
      ...[
        '.git',
        '.GIT',
        'git~1',
        '.git ',
        '.g\u200cit',
        '.gitmodules',
        '...',
        '-rf',
        '\n',
        '\r',
        '"',
        '\\',
        'a\\..\\b',
        '\x1b[2J',
      ],
      ...[
        'CON',
        'a:b',
        ' ',
        '\t',
        '\x7f',
        '\u202e',
        '\ufeff',
        '\ufffd',
        'e\u0301',
        'é',
        '😀',
        '100644 a',
        'a.b',
        'a',
        'a0',
        'a-',
      ],
    ),
    anyText(12, 1),
  )
  .map((text) => text.replaceAll('/', '_').replaceAll('\0', '_').toWellFormed())
  .filter((text) => !['', '.', '..'].includes(text));
const entry: fc.Arbitrary<TreeEntry> = fc.record({
  mode: fc.constantFrom('100644', '40000', '100755', '120000', '160000'),
  name,
  oid: fc.stringMatching(/^[0-9a-f]{40}$/),
});
const entries = fc.uniqueArray(entry, { selector: (one) => one.name, maxLength: 8 });
const sorted = (list: readonly TreeEntry[]): string[] => list.map((one) => `${one.mode} ${one.oid} ${one.name}`).sort();

test('git ls-tree lists what we write, whatever its name', () => {
  const { repository, store } = makeProject();
  const KINDS: Record<string, string> = { '40000': 'tree', '160000': 'commit' };
  fc.assert(
    fc.property(entries, (list) => {
      const oid = repository.objects.write('tree', encodeTree(list));
      const told = gitBytes(store, ['ls-tree', '-z', oid]).toString('utf8').split('\0').slice(0, -1);
      const ours = decodeTree(repository.objects.readAs(oid, 'tree'), oid);
      expect(
        ours.map((one) => `${one.mode.padStart(6, '0')} ${KINDS[one.mode] ?? 'blob'} ${one.oid}\t${one.name}`),
      ).toEqual(told);
      expect(sorted(ours)).toEqual(sorted(list));
    }),
    runs(60),
  );
});

test('reads the bytes of a damaged tree as they are, or not at all', () => {
  const seen = { read: 0, refused: 0 };
  fc.assert(
    fc.property(entries, harms, (list, harm) => {
      const bytes = spoilt(encodeTree(list), harm);
      const result = valueOr(['damaged'], () => decodeTree(bytes, 'x'));
      seen['value' in result ? 'read' : 'refused'] += 1;
      if (!('value' in result)) return;
      for (const one of result.value) expect(['', '.', '..'].includes(one.name) || one.name.includes('/')).toBe(false);
      expect(new Set(result.value.map((one) => one.name)).size).toBe(result.value.length);
      // Put together again in the order in which they stood, they are the very bytes.
      const again = result.value.map((one) =>
        Buffer.concat([Buffer.from(`${one.mode} ${one.name}\0`), Buffer.from(one.oid, 'hex')]),
      );
      expect(Buffer.concat(again).equals(bytes)).toBe(true);
    }),
    runs(3_000),
  );
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(200);
});
