/** Checks of the main line: every canonical commit, its parents, and what it says of its session. */
import { type Commit, trailersOf } from '../../core/commit.ts';
import { COMMIT_TYPE_KINDS } from '../../core/commit-type.ts';
import { oneLine } from '../../core/text.ts';
import { readCommit } from '../chain.ts';
import type { ObjectStore } from '../objects.ts';
import { readSession } from '../session-document.ts';
import { verifyObjects } from './chain.ts';
import { damage, type Finding, guarded } from './finding.ts';

const LOOK = 'Look at it with: ctx show';

/** Checks the main line from its head down. Gives its commits in `line`, for what must be an ancestor. A session in `archived` has its own chain. */
export function* verifyHistory(
  objects: ObjectStore,
  head: string,
  seen: Set<string>,
  line: Set<string>,
  archived: ReadonlySet<string>,
): Generator<Finding> {
  const open = [head];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (line.has(oid)) continue;
    line.add(oid);
    const commitId = oid;
    yield* guarded('history', `commit ${commitId}`, function* () {
      const commit = readCommit(objects, commitId);
      open.push(...commit.parents);
      verifyObjects(objects, commit.tree, seen);
      yield* verifyCanonical(objects, commitId, commit, archived);
    });
  }
}

function* verifyCanonical(
  objects: ObjectStore,
  oid: string,
  { tree, message, parents: { length: parents } }: Commit,
  archived: ReadonlySet<string>,
): Generator<Finding> {
  const where = `commit ${oid}`;
  const trailers = trailersOf(message);
  const type = trailers.get('Ctx-Type');
  if (type === 'Root' ? parents !== 0 : parents === 0) {
    yield damage('history', where, `a commit of type ${type ?? 'unknown'} has ${parents} parents`, LOOK);
  }
  if (!(COMMIT_TYPE_KINDS as readonly string[]).includes(type ?? '')) {
    if (type !== 'Root' && type !== 'Merge')
      yield damage('trailers', where, `its Ctx-Type says ${type ?? 'nothing'}`, LOOK);
    return;
  }
  const session = readSession(objects, tree, where);
  const expected = {
    'Ctx-Type': session.ended?.type.kind ?? '',
    'Ctx-Session': session.session_id,
    'Ctx-Task': session.task_description,
    'Ctx-State': session.session_state.kind,
    'Ctx-Steps': String(session.step),
  };
  for (const [key, value] of Object.entries(expected)) {
    const told = trailers.get(key);
    if (told === oneLine(value)) continue;
    yield damage('trailers', where, `its ${key} says ${told ?? 'nothing'}, its session.json ${oneLine(value)}`, LOOK);
  }
  const work = trailers.get('Ctx-Work');
  if (work !== undefined && !archived.has(session.session_id)) readCommit(objects, work);
}
