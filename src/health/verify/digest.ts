/** Digests the steps of a chain in bounded memory: a session may have more lines than a check may hold. */
import { type Digest, newDigest } from '../../core/records/digest.ts';
import { digestRecord, lighten } from '../../core/session/compaction.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readCommit, readRecords, walkChain } from '../../history/chain/chain.ts';

/** Files with the records of a session as lines, in the order of its steps. */
export const LINES = ['notes.jsonl', 'edges.jsonl'] as const;

/**
 * Digests a chain without its lines, which are compared with those of a commit one by one.
 * @param found object ids in the commit's tree, by name
 * @returns also the ids of the files of lines that match
 */
export function digestAlong(
  objects: ObjectStore,
  head: string,
  found: ReadonlyMap<string, string>,
): [digest: Digest, same: Map<string, string>] {
  const digest = newDigest();
  const told = LINES.map((name) => follow(contentOf(objects, found.get(name))));
  const steps = [...walkChain(objects, head)].map(([oid]) => oid).reverse();
  for (const oid of steps) {
    for (const record of readRecords(objects, readCommit(objects, oid).tree, `step ${oid}`, false)) {
      digestRecord(digest, record);
      for (const [index, made] of [digest.notes, digest.edges].entries())
        for (const line of made.take()) told[index]?.take(line);
      lighten(digest);
    }
  }
  for (const [index, made] of [digest.notes, digest.edges].entries()) told[index]?.take(made.end());
  const same = LINES.filter((_name, index) => told[index]?.isAtEnd());
  return [digest, new Map(same.map((name) => [name, found.get(name) ?? '']))];
}

const contentOf = (objects: ObjectStore, oid: string | undefined): Buffer =>
  oid === undefined ? Buffer.alloc(0) : objects.readAs(oid, 'blob');

/** Makes a comparison with a file of lines: whether it has exactly the given lines, in order. */
function follow(content: Buffer): { take: (line: string) => void; isAtEnd: () => boolean } {
  let at = 0;
  return {
    take: (line) => {
      const bytes = Buffer.from(line);
      const isNext = at >= 0 && bytes.equals(content.subarray(at, at + bytes.length));
      at = isNext ? at + bytes.length : -1;
    },
    isAtEnd: () => at === content.length,
  };
}
