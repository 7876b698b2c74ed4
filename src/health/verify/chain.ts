/** Checks one session's chain beyond what Git checks: its steps, states, trailers and files. */
import { damaged } from '../../core/errors.ts';
import { treePath } from '../../core/file-path.ts';
import { isKind } from '../../core/records/record.ts';
import { EMPTY_TREE, isTree } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { editTree, readTree } from '../../git/objects/tree-editor.ts';
import { readCommit, readRecords, type Step, walkChain } from '../../history/chain/chain.ts';
import { filesTree, scratchStore } from '../../history/chain/files-tree.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { damage, type Finding, findingOf, guarded } from '../finding.ts';
import { verifyStepEntries } from './entries.ts';
import { verifyContents, verifyTexts } from './payloads.ts';
import { look, type Past, verifyStep } from './step.ts';

/** Deepest folder: a path has at most 1,024 bytes. */
const DEEPEST = 600;

/**
 * Checks every step of a chain, first to last, and every object that it needs.
 * @param seen objects that were read; grows
 * @param walked every step that was met; grows
 * @param onStep is given each step when it was read
 */
export function* verifyChain(
  objects: ObjectStore,
  ref: string,
  head: string,
  seen: Set<string>,
  walked: Set<string>,
  onStep?: (step: Step) => void,
): Generator<Finding> {
  const oids: string[] = [];
  const past: Past = { session: null, ids: new Set(), states: new Set(['Running']) };
  try {
    for (const [oid] of walkChain(objects, head)) oids.push(oid);
  } catch (error) {
    // The steps above can still be checked.
    yield findingOf(error, 'chain', ref);
    past.session = undefined;
  }
  for (const oid of oids) walked.add(oid);
  let files: string | null = null;
  for (const oid of oids.reverse()) {
    const where = `${ref}, step ${oid}`;
    let isRead = false;
    yield* guarded('chain', where, function* () {
      const step = readStep(objects, oid);
      onStep?.(step);
      const { tree } = step.commit;
      const follows = past.session !== undefined;
      yield* verifyStep(step, past, where);
      isRead = true;
      yield* verifyTexts(objects, step, where, seen);
      yield* verifyStepEntries(objects, step.commit, new Set(step.records.map(({ id }) => id)), where, look(oid));
      const shown = filesTree(objects, tree);
      if (follows) yield* verifyFiles(objects, files, shown, step, where);
      files = shown;
      verifyObjects(objects, tree, seen);
    });
    if (!isRead) past.session = undefined;
  }
}

function readStep(objects: ObjectStore, oid: string): Step {
  const commit = readCommit(objects, oid);
  const session = readSession(objects, commit.tree, `step ${oid}`);
  return { oid, commit, session, records: readRecords(objects, commit.tree, `step ${oid}`, false) };
}

/**
 * Applies the records of a step to the files of the step before: the result must be the step's files, and a content that a
 * later record replaces must be in its payloads.
 */
function* verifyFiles(
  objects: ObjectStore,
  before: string | null,
  shown: string | null,
  step: Step,
  where: string,
): Generator<Finding> {
  const scratch = scratchStore(objects);
  const editor = editTree(scratch, before);
  for (const record of step.records) {
    const path: unknown = record.path;
    const place = typeof path === 'string' ? treePath(path) : null;
    if (!place) continue;
    if (isKind(record, 'delete')) editor.remove(place);
    else if ((isKind(record, 'read') || isKind(record, 'write')) && record.blob !== undefined) {
      editor.set(place, objects.read(record.blob).type === 'tree' ? '40000' : '100644', record.blob);
    }
  }
  yield* verifyContents(objects, step, where, (place) => editor.get(place)?.oid);
  if (editor.write() !== shown) {
    yield damage(
      'files',
      where,
      'its files are not those of the step before with its own records applied',
      look(step.oid),
    );
  }
}

/** Reads every object below a tree that was not read before. @throws {CtxError} damaged */
export function verifyObjects(objects: ObjectStore, tree: string, seen: Set<string>, depth = 0): void {
  if (seen.has(tree)) return;
  if (depth > DEEPEST) throw damaged(`tree ${tree}`, 'it lies deeper than any path may be');
  seen.add(tree);
  // The empty tree need not exist for readers, nor for Git except in its own check.
  if (tree === EMPTY_TREE) objects.readAs(tree, 'tree');
  for (const entry of readTree(objects, tree)) {
    if (isTree(entry)) verifyObjects(objects, entry.oid, seen, depth + 1);
    else if (!seen.has(entry.oid)) {
      seen.add(entry.oid);
      objects.readAs(entry.oid, 'blob');
    }
  }
}
