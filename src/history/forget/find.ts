/** Finds the target of an id in a store: a session, a stored or pending record, a step, a canonical commit, or a content. */

import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import { internalise } from '../../core/externalise.ts';
import { idsMatching, SHORTEST_PIECE } from '../../core/listing/short-id.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { lookUp, readTree } from '../../git/objects/tree-editor.ts';
import { readCommit, readRecords, SEEN, walkChain } from '../chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../names/layout.ts';
import { type Pending, readPending, sessionsWithPending } from '../pending/pending.ts';
import { type Repository, sessionIds } from '../store/repository.ts';
import { withPendingObjects } from './pending.ts';
import { undoneHeads } from './undone.ts';

/** A record with its long texts in their places, and its session. */
export interface OwnedRecord {
  session: string;
  record: StoredRecord;
  /** The store of its contents. */
  objects: ObjectStore;
}

export type Named =
  | { kind: 'session'; id: string }
  | { kind: 'canonical'; session: string }
  | { kind: 'step'; oid: string }
  | { kind: 'record'; records: OwnedRecord[] }
  | { kind: 'content'; oid: string };

/** Shortest prefix of the id of an object or a record, in characters. */
const SHORTEST = 8;

/** Returns the single target of an id, of its prefix, or, for a session, of a piece of four characters or more. @throws {CtxError} not_found, ambiguous, invalid_input */
export function findNamed(repository: Repository, given: string): Named {
  const id = given.replace(/^(refs\/)?(sessions|archive)\//, '').toLowerCase();
  if (id.length < SHORTEST_PIECE || !/^[0-9a-z-]+$/.test(id)) throw notFound(given);
  const found = new Map<string, Named>();
  const sessions = sessionIds(repository);
  for (const session of idsMatching(sessions, id)) found.set(session, { kind: 'session', id: session });
  const exact = found.get(id);
  if (exact) return exact;
  if (/^[0-9a-f]{8,40}$/.test(id))
    for (const oid of repository.objects.withPrefix(id, 64)) found.set(oid, namedByOid(repository, oid));
  if (id.length >= SHORTEST)
    for (const [record, owned] of recordsNamed(repository, id)) found.set(record, { kind: 'record', records: owned });
  if (found.size === 0)
    for (const session of idsMatching([...undoneHeads(repository).keys()], id))
      found.set(session, { kind: 'session', id: session });
  const [only] = found.values();
  if (found.size > 1 && !found.has(id)) {
    throw new CtxError('ambiguous', `${given} is the beginning of ${found.size} ids.`, {
      hint: `Give more of it: ${[...found.keys()].slice(0, 10).join(', ')}`,
      data: { candidates: [...found.keys()] },
    });
  }
  const named = found.get(id) ?? only;
  if (!named) throw notFound(given);
  return named;
}

const notFound = (given: string): CtxError =>
  new CtxError('not_found', `There is no session, record or object ${given}.`, {
    hint: `Ids have ${SHORTEST} characters or more; see: ctx show <session> --steps --json. A text is named with --text.`,
  });

function namedByOid({ objects }: Repository, oid: string): Named {
  const { type } = objects.read(oid);
  if (type === 'commit') {
    const trailers = trailersOf(readCommit(objects, oid).message);
    const session = trailers.get('Ctx-Session');
    if (session !== undefined) return trailers.has('Ctx-Step') ? { kind: 'step', oid } : { kind: 'canonical', session };
  }
  if (type === 'blob' || (type === 'tree' && isChunked(readTree(objects, oid)))) return { kind: 'content', oid };
  throw new CtxError('invalid_input', `${oid} is a ${type} that holds nothing of its own.`, {
    hint: 'Name a session, a step, a record or a content.',
  });
}

/** Returns the stored and pending records whose ids begin with a prefix. */
function recordsNamed(repository: Repository, id: string): Map<string, OwnedRecord[]> {
  const { refs, objects } = repository;
  const found = new Map<string, OwnedRecord[]>();
  const add = (owned: OwnedRecord): void => {
    found.set(owned.record.id, [...(found.get(owned.record.id) ?? []), owned]);
  };
  for (const prefix of [SESSIONS, ARCHIVE]) {
    for (const [ref, head] of refs.list(prefix)) {
      for (const [oid, { tree }] of walkChain(objects, head)) {
        if (!readRecords(objects, tree, `step ${oid}`, false).some((record) => record.id.startsWith(id))) continue;
        for (const record of readRecords(objects, tree, `step ${oid}`, true))
          if (record.id.startsWith(id)) add({ session: ref.slice(prefix.length), record, objects });
      }
    }
  }
  const both = withPendingObjects(repository, objects);
  for (const session of sessionsWithPending(repository))
    for (const item of readPending(repository, session))
      if (item.record.id.startsWith(id)) add({ session, record: wholeOf(both, item), objects: both });
  return found;
}

/** Returns a pending record with its long texts in their places. */
export function wholeOf(objects: ObjectStore, { record, payloads }: Pending): StoredRecord {
  return internalise(record, ({ payload: named }) => {
    const entry = payloads.find(({ name }) => name === named);
    return entry?.mode === '100644' ? objects.readAs(entry.oid, 'blob') : null;
  });
}

/** Returns the records of one step. @throws {CtxError} damaged */
export function recordsOfStep({ objects }: Repository, oid: string): OwnedRecord[] {
  const { tree, message } = readCommit(objects, oid);
  const session = trailersOf(message).get('Ctx-Session') ?? '';
  return readRecords(objects, tree, `step ${oid}`, true).map((record) => ({ session, record, objects }));
}

/** Returns whether a content is a path note or a long text of session.json: ctx generates both from records. */
function isMadeInPayload(objects: ObjectStore, tree: string, oid: string): boolean {
  const folder = lookUp(objects, tree, ['payload']);
  const seen = folder && lookUp(objects, folder.oid, [SEEN]);
  const made = (name: string): boolean => name.startsWith('session-');
  return (
    (folder !== null && readTree(objects, folder.oid).some((entry) => entry.oid === oid && made(entry.name))) ||
    (seen !== null && readTree(objects, seen.oid).some((entry) => entry.oid === oid))
  );
}

/** Returns whether a content is one of ctx's own documents, which are generated again and never forgotten as a whole. */
export function isDocument({ objects, refs }: Repository, oid: string): boolean {
  const documents = ['session.json', 'step.jsonl', 'summary.md', 'notes.jsonl', 'edges.jsonl'];
  const holds = (tree: string): boolean =>
    readTree(objects, tree).some((entry) => entry.oid === oid && documents.includes(entry.name)) ||
    isMadeInPayload(objects, tree, oid);
  for (const prefix of [SESSIONS, ARCHIVE])
    for (const head of refs.list(prefix).values())
      for (const [, { tree }] of walkChain(objects, head)) if (holds(tree)) return true;
  for (let at = refs.read(MAIN); at !== null; ) {
    const { tree, parents } = readCommit(objects, at);
    if (holds(tree)) return true;
    at = parents[0] ?? null;
  }
  return false;
}
