/** Making a step's session.json anew where that alone is lost: it is a fold of the step's records over the session before it. */
import { type Commit, trailersOf } from '../core/commit.ts';
import { isKind, type StoredRecord } from '../core/record.ts';
import { foldStep, newSession, type Session } from '../core/session.ts';
import { MAIN } from '../git/layout.ts';
import { frame, sha1 } from '../git/objects/loose.ts';
import { kindOf } from '../git/objects/object-lookup.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { readRecords, walkChain } from '../history/chain/chain.ts';
import { readSession, writeSession } from '../history/chain/session-document.ts';
import { ifReadable } from '../history/chain/stray.ts';
import { lastValues } from '../history/pointers/last-values.ts';
import { isValue, type Stock } from '../history/pointers/stock.ts';
import type { Repository } from '../history/store/repository.ts';

/** A session.json that is lost, and what it said. */
export interface LostSession {
  /** The step that it stands in. */
  step: string;
  /** Its object id. */
  oid: string;
  session: Session;
}

/** Writes those of every session anew, a sentence for each. Nothing else than the very bytes that are lost has their id. */
export function* repairSessions(repository: Repository, stock: Stock): Generator<string> {
  const { objects } = repository;
  for (const [ref, value] of stock.refs) {
    // A torn ref is about to get the last value that can be read.
    const head = isValue(value) ? value : ifReadable(() => lastValues(repository, stock, ref).next().value);
    if (ref === MAIN || !head) continue;
    for (const { step, session } of lostSessions(objects, head)) {
      writeSession(objects, session);
      yield `Remade the lost session.json of step ${step} of ${ref} from the session before it and the step's own records.`;
    }
  }
}

/** Those of a chain that are lost and follow from what is there, first to last. */
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

/** The object id of the session.json of a step. @throws {CtxError} damaged, where its tree cannot be read */
const documentOf = (objects: ObjectStore, { tree }: Commit): string | null =>
  readTree(objects, tree).find(({ name }) => name === 'session.json')?.oid ?? null;

/** The session as of a step, if that is what its session.json said; null where something but its records has changed it. */
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
    // How many of the paths were new to the session, its files would tell, and those may be lost too.
    for (let fresh = 0; fresh <= paths.size; fresh += 1) {
      const counts = { ...folded.counts, files: folded.counts.files + fresh };
      const session = { ...folded, counts };
      if (writeSession(NOWHERE, session).blob === oid) return session;
    }
  }
  return null;
}

/** Gives ids alone. */
const NOWHERE: Pick<ObjectStore, 'write'> = { write: (type, content) => sha1(frame(type, content)) };

/** What a session may have been before its first step. */
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
