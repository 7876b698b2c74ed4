/** Mending `packed-refs`: lines that are no refs go, so that all the others can be read; what they named is restored by name. */
import { plural } from '../core/text.ts';
import { readIfThere, removeFile, writeDurably } from '../platform/files.ts';
import { readPackedRefs } from './packed-refs.ts';
import { takeRefLock } from './ref-lock.ts';
import type { Repository } from './repository.ts';
import { isDamaged, keepCopy } from './set-aside.ts';

/** A header, a ref, or what the tag before it points at. */
const LINE = /^(#.*|[0-9a-f]{40} \S+|\^[0-9a-f]{40})$/;

/** Gives a sentence where anything was done. Only under LOCK. */
export function* repairPackedRefs({ layout, ...repository }: Repository): Generator<string> {
  const { packedRefs: path, packedMarker: marker, root } = layout;
  if (!isDamaged(() => readPackedRefs(path))) return;
  const { lockWait: wait, durability } = repository;
  const lock = takeRefLock({ path: `${path}.lock`, marker, content: '', root, wait, durability });
  try {
    const isReadable = !isDamaged(() => readIfThere(path));
    const lines = (isReadable ? (readIfThere(path)?.toString('latin1') ?? '') : '').split('\n');
    // A last line that is cut off may be the beginning of a longer name.
    const last = lines.pop() ?? '';
    const whole = lines.filter((line, index) => LINE.test(line) && !isOrphan(lines, index));
    keepCopy({ layout, ...repository }, path);
    const temporary = `${marker}.new`;
    removeFile(temporary);
    writeDurably(path, temporary, Buffer.from(whole.map((line) => `${line}\n`).join(''), 'latin1'), durability);
    const gone = lines.length - whole.length + Number(last !== '');
    yield isReadable
      ? `Removed ${plural(gone, 'broken line')} from packed-refs; a copy is in lost/.`
      : 'Set packed-refs aside in lost/: it was no file, or far too large.';
  } finally {
    lock.release(true);
  }
}

/** Whether a line belongs to one before it that goes. */
const isOrphan = (lines: readonly string[], index: number): boolean =>
  (lines[index] ?? '').startsWith('^') && !/^[0-9a-f]{40} \S+$/.test(lines[index - 1] ?? '');
