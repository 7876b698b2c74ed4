/** Checks main: every commit on it, its parents, and its description of its session. */
import { type Commit, commitMessage, subjectOf, trailersOf } from '../../core/commit.ts';
import { isCommitTypeKind, MERGE, ROOT } from '../../core/commit-types/table.ts';
import { FETCH, OR_FETCH } from '../../core/errors.ts';
import { canonicalTrailers } from '../../core/session/compaction.ts';
import { isEnding } from '../../core/session/schema.ts';
import type { Ending, Session } from '../../core/session/session.ts';
import { oneLine } from '../../core/text.ts';
import { EMPTY_TREE } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { lookUp } from '../../git/objects/tree-editor.ts';
import { isRoot } from '../../history/chain/canonical.ts';
import { readCommit } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { damage, type Finding, guarded, REPAIR } from '../finding.ts';
import { verifyObjects } from './chain.ts';
import { verifySavedEntries } from './entries.ts';
import { look, verifyTrailers } from './step.ts';

/** The content of main, for other checks. */
export interface MainLine {
  commits: Set<string>;
  /** True if all of it could be read: otherwise `commits` is incomplete. */
  whole: boolean;
  /** The canonical commit of each session, with the head of its chain. */
  saved: Map<string, { oid: string; work: string }>;
}

/** Checks main from its head down, and collects it in `line`. */
export function* verifyHistory(
  objects: ObjectStore,
  head: string,
  seen: Set<string>,
  line: MainLine,
): Generator<Finding> {
  const open = [head];
  line.whole = true;
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (line.commits.has(oid)) continue;
    line.commits.add(oid);
    const commitId = oid;
    let isRead = false;
    const found = guarded('history', `commit ${commitId}`, function* () {
      const commit = readCommit(objects, commitId);
      open.push(...commit.parents);
      isRead = true;
      yield* verifyCommit(objects, commitId, commit, line);
      verifyObjects(objects, commit.tree, seen);
    });
    for (const finding of found) {
      if (isRoot(commitId)) yield { ...finding, hint: MAKE_ROOT };
      else yield !isRead && finding.hint === FETCH ? { ...finding, hint: MAKE_ANEW } : finding;
    }
    line.whole &&= isRead;
  }
}

/** The hint for a lost commit of main. */
const MAKE_ANEW = `${REPAIR} makes it again, if its tree and the chain of its session are there. If not, ${OR_FETCH}`;
/** The hint for the first commit, or its empty tree. */
const MAKE_ROOT = `${REPAIR} makes it again: every store has the same.`;

function* verifyCommit(objects: ObjectStore, oid: string, commit: Commit, line: MainLine): Generator<Finding> {
  const where = `commit ${oid}`;
  const type = trailersOf(commit.message).get('Ctx-Type');
  yield* verifyParents(oid, commit, type, where);
  if (type === ROOT && commit.tree !== EMPTY_TREE)
    yield damage('tree', where, 'something is in its tree, and a root has nothing', look(oid));
  if (isCommitTypeKind(type)) yield* verifyCanonical(objects, oid, commit, line);
  else if (type !== ROOT && type !== MERGE) yield* verifyUnknown(objects, oid, commit, type, line);
}

/**
 * Checks a commit of a type that this ctx does not know: one of a newer ctx has the same type in its session.json, and is
 * whole.
 */
function* verifyUnknown(
  objects: ObjectStore,
  oid: string,
  commit: Commit,
  type: string | undefined,
  line: MainLine,
): Generator<Finding> {
  const where = `commit ${oid}`;
  const entry = lookUp(objects, commit.tree, ['session.json']);
  const { ended } = entry ? readSession(objects, commit.tree, where) : {};
  if (type === undefined || ended?.type?.kind !== type) {
    yield damage('trailers', where, `its Ctx-Type says ${type ?? 'nothing'}`, look(oid));
    return;
  }
  yield* verifyCanonical(objects, oid, commit, line);
  const message = `it ended as ${oneLine(type, 80)}, which this ctx does not know: a newer one has written it`;
  yield { severity: 'note', kind: 'version', where, message, hint: 'Upgrade ctx to see all that it says.' };
}

function* verifyParents(oid: string, { parents }: Commit, type: string | undefined, where: string): Generator<Finding> {
  const right = type === ROOT ? 0 : type === MERGE ? 2 : 1;
  if (parents.length !== right)
    yield damage('history', where, `a commit of type ${type ?? 'unknown'} has ${parents.length} parents`, look(oid));
  else if (parents.length === 2 && (parents[0] as string) > (parents[1] as string))
    yield damage('history', where, 'the parents of a merge are in the wrong order', look(oid));
}

function* verifyCanonical(objects: ObjectStore, oid: string, commit: Commit, line: MainLine): Generator<Finding> {
  const where = `commit ${oid}`;
  const hint = look(oid);
  yield* verifySavedEntries(objects, commit, where, hint);
  const session = readSession(objects, commit.tree, where);
  const id = session.session_id;
  const work = trailersOf(commit.message).get('Ctx-Work') ?? '';
  if (!/^[0-9a-f]{40}$/.test(work)) yield damage('trailers', where, 'its Ctx-Work names no step', hint);
  const isNew = !isCommitTypeKind(session.ended?.type?.kind);
  if (!isEnding(session.ended)) yield damage('history', where, 'its session.json does not say how it ended', hint);
  else {
    yield* verifyTrailers(commit.message, canonicalTrailers(session, session.ended.type, work), where, hint, isNew);
    yield* verifyEnding(commit, session, session.ended, where, hint);
  }
  const other = line.saved.get(id);
  if (other === undefined) line.saved.set(id, { oid, work });
  else yield damage('history', where, `it saves session ${id}, as commit ${other.oid} above it does`, hint);
}

/** Compares the subject and times of a commit with its session.json. */
function* verifyEnding(
  commit: Commit,
  { last_activity }: Session,
  { message, at }: Ending,
  where: string,
  hint: string,
): Generator<Finding> {
  if (subjectOf(commit.message) !== subjectOf(commitMessage(message, [])))
    yield damage('history', where, 'its subject is not the message that its session.json says', hint);
  const { authoredAt, committedAt } = commit;
  // ctx 0.1 wrote the time of saving for both.
  const times = authoredAt === last_activity ? [committedAt] : [authoredAt, committedAt];
  for (const time of new Set(times))
    if (time !== at) yield damage('history', where, `its time is ${time}, and its session.json says ${at}`, hint);
}
