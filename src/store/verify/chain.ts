/** Checks of one session's chain that Git cannot make: its steps, its states, its trailers, its files. */
import { trailersOf } from '../../core/commit.ts';
import { damaged } from '../../core/errors.ts';
import { treePath } from '../../core/file-path.ts';
import { isObject } from '../../core/json.ts';
import { isKind, type StoredRecord } from '../../core/record.ts';
import type { Session } from '../../core/session.ts';
import { MOVES, type SessionState } from '../../core/state.ts';
import { oneLine } from '../../core/text.ts';
import { isTree } from '../../core/tree.ts';
import { readCommit, readRecords, walkChain } from '../chain.ts';
import { filesTree, scratchStore } from '../files-tree.ts';
import type { ObjectStore } from '../objects.ts';
import { readSession } from '../session-document.ts';
import { editTree, readTree } from '../tree-editor.ts';
import { damage, type Finding, guarded } from './finding.ts';

/** Deepest folder: a path has at most 1,024 bytes. */
const DEEPEST = 600;

/** What to type, where a step can be looked at. */
const look = (where: string): string => `Look at it with: ctx show ${/[0-9a-f]{40}/.exec(where)?.[0] ?? ''}`;

/** Checks every step of a chain, first to last, and every object that it needs. @param seen objects already read; grows */
export function* verifyChain(objects: ObjectStore, ref: string, head: string, seen: Set<string>): Generator<Finding> {
  let oids: string[];
  try {
    oids = [...walkChain(objects, head)].map(([oid]) => oid).reverse();
  } catch (error) {
    yield* guarded('chain', ref, () => {
      throw error;
    });
    return;
  }
  let before: Session | null = null;
  let files: string | null = null;
  for (const oid of oids) {
    const where = `${ref}, step ${oid}`;
    yield* guarded('chain', where, function* () {
      const { tree, message } = readCommit(objects, oid);
      const session = readSession(objects, tree, `step ${oid}`);
      const records = readRecords(objects, tree, `step ${oid}`, false);
      yield* verifyTrailers(message, session, where);
      // One step that was many begins where they ended.
      if (session.squashed === undefined) yield* verifyState(session, before, records, where);
      const shown = filesTree(objects, tree);
      yield* verifyFiles(objects, files, shown, records, where);
      verifyObjects(objects, tree, seen);
      before = session;
      files = shown;
    });
  }
}

function* verifyTrailers(message: string, session: Session, where: string): Generator<Finding> {
  const trailers = trailersOf(message);
  const expected = {
    'Ctx-Session': session.session_id,
    'Ctx-Step': String(session.step),
    'Ctx-Base': session.base,
    'Ctx-State': session.session_state.kind,
  };
  for (const [key, value] of Object.entries(expected)) {
    const told = trailers.get(key);
    if (told === oneLine(value)) continue;
    yield damage(
      'trailers',
      where,
      `its ${key} says ${told ?? 'nothing'}, its session.json ${oneLine(value)}`,
      look(where),
    );
  }
}

/** Whether one state leads to another by a move of the table; `undo` takes one back. */
function isMove(from: SessionState, to: SessionState, by: string): boolean {
  if (by === 'undo') return true;
  return MOVES.some((move) => move.verb === by && move.from.includes(from.kind) && move.to === to.kind);
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function* verifyState(
  session: Session,
  before: Session | null,
  records: readonly StoredRecord[],
  where: string,
): Generator<Finding> {
  if (before && (before.session_id !== session.session_id || before.base !== session.base)) {
    yield damage(
      'chain',
      where,
      'it belongs to another session, or has another base, than the step before it',
      look(where),
    );
  }
  let kind = before?.session_state.kind ?? 'Running';
  for (const record of records.filter((candidate) => isKind(candidate, 'transition'))) {
    if (!isKind(record, 'transition')) continue;
    if (!isObject(record.from) || !isObject(record.to)) {
      yield damage('state', where, `its move ${record.id} does not say from where to where`, look(where));
      continue;
    }
    if (record.from.kind !== kind || !isMove(record.from, record.to, record.by)) {
      yield damage(
        'state',
        where,
        `the state table has no move ${record.by} from ${kind} to ${record.to.kind}`,
        look(where),
      );
    }
    kind = record.to.kind;
  }
  if (kind !== session.session_state.kind) {
    yield damage('state', where, `it is ${session.session_state.kind}, and its moves lead to ${kind}`, look(where));
  } else if (before && kind === before.session_state.kind && records.every((record) => record.kind !== 'transition')) {
    if (!same(before.session_state, session.session_state)) {
      yield damage('state', where, 'its state changed without a move', look(where));
    }
  }
  const counted = (before?.counts.records ?? 0) + records.length;
  if (session.counts.records !== counted) {
    yield damage('chain', where, `it counts ${session.counts.records} records, and there are ${counted}`, look(where));
  }
}

/** Plays the records of a step on the files of the step before; what comes out must be what the step shows. */
function* verifyFiles(
  objects: ObjectStore,
  before: string | null,
  shown: string | null,
  records: readonly StoredRecord[],
  where: string,
): Generator<Finding> {
  const scratch = scratchStore(objects);
  const editor = editTree(scratch, before);
  for (const record of records) {
    const path: unknown = record.path;
    const place = typeof path === 'string' ? treePath(path) : null;
    if (!place) continue;
    if (isKind(record, 'delete')) editor.remove(place);
    else if ((isKind(record, 'read') || isKind(record, 'write')) && record.blob !== undefined) {
      editor.set(place, objects.read(record.blob).type === 'tree' ? '40000' : '100644', record.blob);
    }
  }
  if (editor.write() !== shown) {
    yield damage(
      'files',
      where,
      'its files are not those of the step before with its own records applied',
      look(where),
    );
  }
}

/** Reads every object below a tree that was not read before. @throws {CtxError} damaged */
export function verifyObjects(objects: ObjectStore, tree: string, seen: Set<string>, depth = 0): void {
  if (seen.has(tree)) return;
  if (depth > DEEPEST) throw damaged(`tree ${tree}`, 'it lies deeper than any path may be');
  seen.add(tree);
  for (const entry of readTree(objects, tree)) {
    if (isTree(entry)) verifyObjects(objects, entry.oid, seen, depth + 1);
    else if (!seen.has(entry.oid)) {
      seen.add(entry.oid);
      objects.readAs(entry.oid, 'blob');
    }
  }
}
