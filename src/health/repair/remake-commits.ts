/** Rebuilds lost commits of main: the tree of one and the chain of its session determine its bytes. */
import { commitMessage, encodeCommit, trailersOf } from '../../core/commit.ts';
import { lazily } from '../../core/lazily.ts';
import { canonicalTrailers } from '../../core/session/compaction.ts';
import { isEnding } from '../../core/session/schema.ts';
import type { Session } from '../../core/session/session.ts';
import { decodeTree, EMPTY_TREE } from '../../core/tree.ts';
import { MAIN } from '../../git/layout.ts';
import { frame, sha1 } from '../../git/objects/loose.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readReflog } from '../../git/refs/reflog.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { authorOf, isRoot, writeRoot } from '../../history/chain/canonical.ts';
import { readCommit, walkChain } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { everyWhole } from '../../history/chain/step-search.ts';
import { archiveRef } from '../../history/names/layout.ts';
import { isValue, type PointerState } from '../../history/pointers/pointer-state.ts';
import type { Repository } from '../../history/store/repository.ts';

/** A tree of a canonical commit, with its session. */
interface Saved {
  tree: string;
  session: Session;
}

/** Rebuilds the lost commits; yields a sentence for each. Only the exact lost bytes have their id. Only under LOCK. */
export function* remakeCommits(repository: Repository, stock: PointerState): Generator<string> {
  const { objects } = repository;
  const tip = stock.refs.get(MAIN);
  const saved = lazily(() => [...savedTrees(repository)]);
  const open = isValue(tip) ? [tip] : [];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (isRoot(oid)) {
      yield* remakeRoot(objects, oid);
      continue;
    }
    if (kindOf(objects, oid) === 'absent') {
      const content = madeAnew(repository, stock, saved(), oid);
      if (content === null) continue;
      objects.write('commit', content);
      yield `Remade the lost commit ${oid} of ${MAIN} from its tree and the chain of its session.`;
    }
    const commit = oid;
    if (!isDamaged(() => readCommit(objects, commit))) open.push(...readCommit(objects, commit).parents);
  }
}

/** The first commit and its tree are the same in every store. */
function* remakeRoot(objects: ObjectStore, oid: string): Generator<string> {
  const gone = [oid, EMPTY_TREE].filter((id) => kindOf(objects, id) === 'absent');
  if (gone.length === 0) return;
  writeRoot(objects);
  for (const id of gone)
    yield `Remade the lost ${id === oid ? 'first commit' : 'empty tree'} ${id}: every store has the same.`;
}

/** Returns the content of a lost commit; null if none of the candidates has its id. */
function madeAnew(
  { layout, objects }: Repository,
  stock: PointerState,
  saved: readonly Saved[],
  oid: string,
): Buffer | null {
  const moves = [...readReflog(layout.root, MAIN), ...(stock.logged.get(MAIN) ?? [])];
  const parents = new Set(moves.flatMap(({ old, new: value }) => (value === oid && old !== null ? [old] : [])));
  for (const { tree, session } of saved) {
    const { ended } = session;
    const head = stock.refs.get(archiveRef(session.session_id));
    const work = isValue(head) ? stepOf(objects, head, session) : null;
    if (!isEnding(ended) || work === null) continue;
    const message = commitMessage(ended.message, canonicalTrailers(session, ended.type, work));
    const { author, authoredAt } = authorOf(session);
    for (const parent of parents) {
      // ctx 0.1 wrote the time of saving for both.
      for (const time of new Set([authoredAt, ended.at])) {
        const commit = { tree, parents: [parent], author, authoredAt: time, at: ended.at, message };
        const content = encodeCommit(commit);
        if (sha1(frame('commit', content)) === oid) return content;
      }
    }
  }
  return null;
}

/** Returns the step of an archived chain that a session ended with: late steps may follow. Null if it cannot be found. */
function stepOf(objects: ObjectStore, head: string, { step }: Session): string | null {
  let found: string | null = null;
  isDamaged(() => {
    for (const [oid, { message }] of walkChain(objects, head)) {
      if (trailersOf(message).get('Ctx-Step') !== String(step)) continue;
      found = oid;
      break;
    }
  });
  return found;
}

function* savedTrees({ objects }: Repository): Generator<Saved> {
  for (const { oid, content } of everyWhole(objects, 'tree')) {
    if (isDamaged(() => decodeTree(content, oid))) continue;
    const names = decodeTree(content, oid).map(({ name }) => name);
    if (!names.includes('session.json') || !names.includes('summary.md')) continue;
    if (!isDamaged(() => readSession(objects, oid, oid))) yield { tree: oid, session: readSession(objects, oid, oid) };
  }
}
