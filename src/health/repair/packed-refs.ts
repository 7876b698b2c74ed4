/** Repairs `packed-refs`: removes invalid lines, whose refs are restored by name, and sorts the others as Git requires. */
import { plural } from '../../core/text.ts';
import { takeRefLock } from '../../git/refs/lock.ts';
import { byBytes, checkPackedRefs, HEADER, PEELED_LINE, REF_LINE } from '../../git/refs/packed-refs.ts';
import { isDamaged, keepCopy } from '../../git/set-aside.ts';
import type { Repository } from '../../history/store/repository.ts';
import { readIfThere, removeFile, writeDurably } from '../../platform/files.ts';

/** Repairs the file; yields a sentence if it was damaged. Only under LOCK. */
export function* repairPackedRefs({ layout, ...repository }: Repository): Generator<string> {
  const { packedRefs: path, packedMarker: marker, root } = layout;
  if (!isDamaged(() => checkPackedRefs(path))) return;
  const { lockWait: wait, durability } = repository;
  const lock = takeRefLock({ path: `${path}.lock`, marker, content: '', root, wait, durability });
  try {
    const isReadable = !isDamaged(() => readIfThere(path));
    const { text, gone } = inOrder(isReadable ? (readIfThere(path)?.toString('latin1') ?? '') : '');
    keepCopy({ layout, ...repository }, path);
    const temporary = `${marker}.new`;
    removeFile(temporary);
    writeDurably(path, temporary, Buffer.from(text, 'latin1'), durability);
    if (!isReadable) yield 'Set packed-refs aside in lost/: it was no file, or far too large.';
    else if (gone > 0) yield `Removed ${plural(gone, 'broken line')} from packed-refs; a copy is in lost/.`;
    else yield 'Put the lines of packed-refs in order, as Git needs them; a copy is in lost/.';
  } finally {
    lock.release(true);
  }
}

/** Returns the refs of a text with their peeled lines, in Git's order, and the number of dropped lines. */
function inOrder(text: string): { text: string; gone: number } {
  const lines = text.split('\n');
  // A truncated last line may be the prefix of a longer name.
  const last = lines.pop() ?? '';
  let gone = Number(last !== '');
  // By name: the last of two lines for one ref counts, as for readers.
  const refs = new Map<string, string>();
  let before: string | undefined;
  for (const line of lines.filter((one) => !one.startsWith(HEADER))) {
    const ref = REF_LINE.exec(line)?.[2];
    if (ref !== undefined) refs.set(ref, `${line}\n`);
    else if (before !== undefined && PEELED_LINE.test(line)) refs.set(before, `${refs.get(before)}${line}\n`);
    else gone += 1;
    before = ref;
  }
  const sorted = [...refs].sort(([one], [other]) => byBytes(one, other)).map(([, entry]) => entry);
  // Without "peeled": a peeled line may have been dropped.
  return { text: [`${HEADER} sorted \n`, ...sorted].join(''), gone };
}
