// The objects of much work: a pack for tens of thousands, one after the other, all of them at hand meanwhile.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inPack } from '../../src/git/objects/bulk-pack.ts';
import { fsck, git, makeProject } from '../support/store.ts';

test('more objects than one pack takes are read back while they are written, and lie in two packs afterwards', () => {
  const { repository, store } = makeProject();
  const content = (number: number): Buffer => Buffer.from(`object ${number}\n`);
  const count = 41_000;
  const oids = inPack(repository, (objects) => {
    const written = Array.from({ length: count }, (_, number) => objects.write('blob', content(number)));
    expect(objects.read(written[0] as string).content).toEqual(content(0));
    expect(objects.read(written[count - 1] as string).content).toEqual(content(count - 1));
    expect(written.filter((oid) => !objects.holds(oid))).toEqual([]);
    objects.publish();
    expect(objects.kept()).toHaveLength(2);
    return written;
  });
  expect(new Set(oids).size).toBe(count);
  const packs = readdirSync(join(store, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));
  expect(packs).toHaveLength(2);
  expect(git(store, ['cat-file', '-p', oids[40_500] as string])).toBe('object 40500\n');
  expect(fsck(store)).toBe('');
});
