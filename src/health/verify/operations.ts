/** Checks the operation log: each operation by itself, in every place, and the one that a killed process has left. */
import { OR_FETCH } from '../../core/errors.ts';
import { isForgetting } from '../../history/forget/execute-plan.ts';
import { idShownIn } from '../../history/operations/operation.ts';
import {
  newestFile,
  type OperationFile,
  operationFiles,
  singleIds,
  singleOf,
  singlePath,
} from '../../history/operations/operation-files.ts';
import { obstacleOf } from '../../history/pointers/oplog.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { damage, type Finding, findingOf, guarded, REPAIR } from '../finding.ts';

export function* verifyOperations(repository: Repository): Generator<Finding> {
  const { layout } = repository;
  if (exists(layout.begun))
    yield* guarded('operation', BEGUN, () => {
      const finding = verifyBegun(repository);
      return finding === null ? [] : [finding];
    });
  yield* verifyNewest(repository);
  let hasForgotten = false;
  const seen = new Set<string>();
  for (const { name, read } of everyFile(repository)) {
    if (seen.has(name)) continue;
    seen.add(name);
    try {
      hasForgotten = read().command === 'forget' || hasForgotten;
    } catch (error) {
      yield findingOf(error, 'operation', name);
    }
  }
  // With the marker of the list, its loss is reported as damage.
  if (hasForgotten && !exists(layout.forgotten) && !exists(layout.forgottenMark)) {
    const message = 'something was forgotten, and the list of it is gone: what was forgotten may come back';
    const hint = 'Bring forgotten.json back from a backup together with the file `key`, or forget it again.';
    yield { severity: 'note', kind: 'file', where: 'forgotten.json', message, hint };
  }
}
const BEGUN = 'oplog/begun.json';

/** Yields every file of an operation, some twice: also one whose operation is in a segment too, since a fold was interrupted. */
function* everyFile({ layout }: Repository): Generator<OperationFile> {
  yield* operationFiles({ layout });
  for (const id of singleIds(layout)) {
    const file = singleOf(layout, id);
    if (file) yield file;
  }
}

/** Reports a newest operation that has a file under its own name too: one of the two is a copy. */
function* verifyNewest({ layout }: Repository): Generator<Finding> {
  const before = newestFile(layout)?.text;
  const id = idShownIn(before ?? '');
  // A forgetting files the newest operation before its own replaces it, and is completed by the next command.
  if (isForgetting(layout)) return;
  // The next operation renames the newest one, perhaps just now.
  if (id === undefined || !exists(singlePath(layout, id)) || newestFile(layout)?.text !== before) return;
  const message = `oplog/${id}.json is of the same operation: one of the two is a copy`;
  const hint = 'See them with: ctx op log; then move the file that is not as it should be out of the store';
  yield damage('operation', 'oplog/newest.json', message, hint);
}

/** Reports the operation of a killed process; returns null if it has finished meanwhile. */
function verifyBegun(repository: Repository): Finding | null {
  const obstacle = obstacleOf(repository);
  if (obstacle?.kind === 'moved')
    return damage('operation', BEGUN, 'it was cut off, and a pointer of it has moved on', REPAIR);
  if (obstacle?.kind === 'gone') {
    const { pointer, oid } = obstacle;
    const message = `it was cut off, and ${oid}, to which it leads ${pointer}, is gone from the store or torn; the next command that writes takes it back`;
    return damage('operation', BEGUN, message, `${REPAIR}. To have it finished first ${OR_FETCH}`);
  }
  if (!exists(repository.layout.begun)) return null;
  const message = 'an operation was cut off; the next command that writes finishes it';
  return { severity: 'leftover', kind: 'operation', where: BEGUN, message, hint: REPAIR };
}
