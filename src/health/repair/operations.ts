/** Moves torn operations aside; others in the same segment stay. */

import { RECORD_LIMIT } from '../../git/layout.ts';
import { isDamaged, keepText, setAside } from '../../git/set-aside.ts';
import { decodeOperation } from '../../history/operations/operation.ts';
import {
  linesOfSegment,
  segmentIds,
  segmentName,
  segmentPath,
  singleIds,
} from '../../history/operations/operation-files.ts';
import { writeSegment } from '../../history/operations/operation-fold.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { readIfThere, removeFile, syncFolder } from '../../platform/files.ts';

/** Moves torn entries of the operation log into `lost/`; yields a sentence for each. Only under LOCK. */
export function* repairOperations(repository: Repository): Generator<string> {
  const { layout } = repository;
  for (const id of [...singleIds(layout), 'newest', 'begun']) {
    const path = below(layout.oplog, `${id}.json`);
    if (!isDamaged(() => checkSingle(path, `${id}.json`)) || !setAside(repository, path)) continue;
    yield `Set the torn operation oplog/${id}.json aside in lost/.`;
  }
  for (const id of segmentIds(layout)) yield* repairSegment(repository, id);
}

/** Decodes the file of one operation. @throws {CtxError} damaged */
function checkSingle(path: string, name: string): void {
  const text = readIfThere(path, RECORD_LIMIT)?.toString('utf8');
  if (text !== undefined) decodeOperation(text, name);
}

function* repairSegment(repository: Repository, id: string): Generator<string> {
  const { layout, durability } = repository;
  const path = segmentPath(layout, id);
  const name = segmentName(id);
  if (isDamaged(() => linesOfSegment(layout, id))) {
    setAside(repository, path);
    yield `Set ${name}, which is no segment of operations, aside in lost/.`;
    return;
  }
  const lines = linesOfSegment(layout, id);
  const isTorn = (line: string): boolean => isDamaged(() => decodeOperation(line, name));
  const torn = new Set(lines.filter(isTorn));
  const whole = lines.filter((line) => !torn.has(line));
  const last = whole.at(-1);
  if (torn.size === 0 && last !== undefined && decodeOperation(last, name).id === id) return;
  // Even if no text is left: its name in lost/ shows that there is a gap.
  keepText(repository, path, [...torn].map((line) => `${line}\n`).join(''));
  const kept = last === undefined ? null : writeSegment(repository, whole);
  if (kept !== id && removeFile(path)) syncFolder(layout.segments, durability);
  for (const [index, line] of lines.entries())
    if (torn.has(line)) yield `Set the torn operation ${name} line ${index + 1} aside in lost/.`;
  if (kept !== null && kept !== id)
    yield `Named ${name} by the last operation that is left in it, ${kept}: its end is lost.`;
}
