/** Rebuilds a lost session.json of a step: it is a fold of the step's records over the session before it. */
import { type Commit, trailersOf } from '../core/commit.ts';
import { isKind, type StoredRecord } from '../core/records/record.ts';
import { foldStep, newSession, type Session } from '../core/session/session.ts';
import { MAIN } from '../git/layout.ts';
import { frame, sha1 } from '../git/objects/loose.ts';
import { kindOf } from '../git/objects/object-lookup.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { readRecords, walkChain } from '../history/chain/chain.ts';
import { readSession, writeSession } from '../history/chain/session-document.ts';
import { ifReadable } from '../history/chain/step-search.ts';
import { lastValues } from '../history/pointers/last-values.ts';
import { isValue, type PointerState } from '../history/pointers/pointer-state.ts';
import type { Repository } from '../history/store/repository.ts';

/** A lost session.json with its content. */
export interface LostSession {
  /** The step that it belongs to. */
  step: string;
  /** Its object id. */
  oid: string;
  session: Session;
}

/** Rebuilds those of every session; yields a sentence for each. Only the exact lost bytes have their id. */
export function* repairSessions(repository: Repository, stock: PointerState): Generator<string> {
  const { objects } = repository;
  for (const [ref, value] of stock.refs) {
    // A torn ref will be set to its last readable value.
    const head = isValue(value) ? value : ifReadable(() => lastValues(repository, stock, ref).next().value);
    if (ref === MAIN || !head) continue;
    for (const { step, session } of lostSessions(objects, head)) {
      writeSession(objects, session);
      yield `Remade the lost session.json of step ${step} of ${ref} from the session before it and the step's own records.`;
    }
  }
}

/** Yields the lost ones of a chain that can be rebuilt, first to last. */
export function* lostSessions(objects: ObjectStore, head: string): Generator<LostSession> {
  const steps = ifReadable(() => [...walkChain(objects, head)].reverse()) ?? [];
  let before: Session | null = null;
  let known: string | undefined;
  for (const [at, [step, commit]] of steps.entries()) {
    const oid = ifReadable(() => documentOf(objects, commit));
    if (oid === null || kindOf(objects, oid) !== 'absent') continue;
    const last = steps[at - 1];
    if (last && known !== last[0]) before = ifReadable(() => readSession(objects, last[1].tree, last[0]));
    const session = ifReadable(() => madeAnew(objects, step, commit, oid, at === 0 ? null : before));
    if (session) yield { step, oid, session };
    [before, known] = [session, step];
  }
}

/** Returns the object id of a step's session.json. @throws {CtxError} damaged, if its tree cannot be read */
const documentOf = (objects: ObjectStore, { tree }: Commit): string | null =>
  readTree(objects, tree).find(({ name }) => name === 'session.json')?.oid ?? null;

/**
 * Returns the session as of a step, if its session.json has the expected id; null if something other than its records has
 * changed it.
 */
function madeAnew(
  objects: ObjectStore,
  step: string,
  commit: Commit,
  oid: string,
  before: Session | null,
): Session | null {
  const records = readRecords(objects, commit.tree, `step ${step}`, true);
  const beginnings = before ? [before] : [...beginningsOf(commit, records)];
  const paths = new Set(records.flatMap(({ path }) => (path === undefined ? [] : [JSON.stringify(path)])));
  for (const beginning of beginnings) {
    const folded = foldStep(beginning, records, 0);
    // The number of new paths depends on the files, which may be lost too.
    for (let fresh = 0; fresh <= paths.size; fresh += 1) {
      const counts = { ...folded.counts, files: folded.counts.files + fresh };
      const session = { ...folded, counts };
      if (writeSession(NOWHERE, session).blob === oid) return session;
    }
  }
  return null;
}

/** Computes ids only. */
const NOWHERE: Pick<ObjectStore, 'write'> = { write: (type, content) => sha1(frame(type, content)) };

/** Yields the possible sessions before the first step. */
function* beginningsOf(
  { message, author, parents, committedAt }: Commit,
  records: readonly StoredRecord[],
): Generator<Session> {
  const id = trailersOf(message).get('Ctx-Session');
  const task = records.find((record) => isKind(record, 'task'));
  const [base] = parents;
  if (id === undefined || base === undefined || !task || !isKind(task, 'task')) return;
  const content: unknown = task.content;
  if (typeof content !== 'string') return;
  for (const at of new Set([committedAt, task.at]))
    for (const agent of author === 'ctx' ? [null, author] : [author]) yield newSession(id, content, agent, base, at);
}
