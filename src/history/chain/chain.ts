/** The chain of a session: WorkCommits, written one after the other, and read from the head or step by step. */
import { type Commit, commitMessage, decodeCommit, encodeCommit, trailersOf } from '../../core/commit.ts';
import { damaged } from '../../core/errors.ts';
import { internalise, mayHoldStub } from '../../core/externalise.ts';
import { treePath } from '../../core/file-path.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { isOfFile } from '../../core/records/table.ts';
import { foldStep, type Session } from '../../core/session/session.ts';
import { stepSubject, stepTrailers } from '../../core/session/step.ts';
import { encodeTree, isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { editTree, lookUp, readTree, type TreeEditor } from '../../git/objects/tree-editor.ts';
import { sha1 } from '../../platform/hash.ts';
import type { PayloadRef } from '../pending/pending.ts';
import { recordLines } from './record-lines.ts';
import { payloadReader, readSession, writeSession } from './session-document.ts';

/** Folder under `payload/` that lists, step by step, the paths that `files/` cannot show. */
export const SEEN = 'paths';

/** Returns the paths that `files/` of a step cannot show, with their state. */
export function seenPaths(objects: ObjectStore, tree: string): SeenPath[] {
  const folder = lookUp(objects, tree, ['payload', SEEN]);
  if (!folder) return [];
  return readTree(objects, folder.oid).map(
    (entry) => JSON.parse(objects.readAs(entry.oid, 'blob').toString('utf8')) as SeenPath,
  );
}

/** A session's chain as of its head. */
export interface Chain {
  session: Session;
  head: string;
  /** Tree of the head. */
  tree: string;
}

/** A record with the tree entries of its payloads. */
export interface StepRecord {
  record: StoredRecord;
  payloads: readonly PayloadRef[];
  /** The record before its long texts were moved to payloads: the session keeps a whole state. */
  whole?: StoredRecord | undefined;
  /** The record as JSON, if it was encoded already. */
  json?: string | null | undefined;
}

export function readCommit(objects: ObjectStore, oid: string): Commit {
  return decodeCommit(objects.readAs(oid, 'commit'), oid);
}

/**
 * Reads the session from the head of its chain: one commit, one tree, one small blob.
 * @param ref the pointer that names the head: it must belong to the session
 * @throws {CtxError} damaged
 */
export function readChain(objects: ObjectStore, head: string, ref?: string): Chain {
  const { tree, message } = readCommit(objects, head);
  const session = readSession(objects, tree, `step ${head}`);
  if (ref !== undefined) checkHead(ref, head, trailersOf(message), session);
  return { session, head, tree };
}

/**
 * Checks that the session.json of a head, which the next step continues, and its trailers, by which the chain is walked,
 * describe one step.
 * @throws {CtxError} damaged
 */
function checkHead(ref: string, head: string, trailers: ReadonlyMap<string, string>, session: Session): void {
  const { session_id: id, step } = session;
  const [toldId, toldStep] = [trailers.get('Ctx-Session'), trailers.get('Ctx-Step')];
  if (ref.endsWith(`/${id}`) && toldId === id && toldStep === String(step)) return;
  const hint = 'Restore it with: ctx fsck --repair';
  if (toldStep === undefined) throw damaged(ref, `it names ${head}, the canonical commit of ${id}`, { hint });
  const isOther = toldId === id && toldStep === String(step);
  const told = isOther
    ? `a step of ${id}`
    : `step ${toldStep} of ${toldId}, whose session.json names step ${step} of ${id}`;
  throw damaged(ref, `it names ${head}, ${told}`, { hint });
}

/** Returns whether a commit is a step of a chain, by its message. */
export const isStep = (message: string): boolean => trailersOf(message).has('Ctx-Step');

/** Returns the name under `payload/paths/` of a path that `files/` cannot show. */
const seenName = (path: string): string => sha1(Buffer.from(path));

/** Returns whether an entry is a file: a blob, or the chunks of a large one. */
function isFile(objects: Pick<ObjectStore, 'readAs'>, entry: TreeEntry | null): boolean {
  return entry !== null && (!isTree(entry) || isChunked(readTree(objects, entry.oid)));
}

/** A path in `payload/paths/`. */
export interface SeenPath {
  path: string;
  /** True if its last change was a deletion. */
  gone: boolean;
}

/** Applies the file records to `files/` and `payload/paths/`; returns the number of new paths. */
export function applyFiles(
  objects: ObjectStore,
  files: TreeEditor,
  seen: TreeEditor,
  records: readonly StepRecord[],
): number {
  let fresh = 0;
  // Written after the last record: an object that a later record replaces would be unreachable.
  const notes = new Map<string, SeenPath>();
  const remember = (path: string, gone: boolean): void => {
    notes.set(path, { path, gone });
  };
  for (const { record, payloads } of records) {
    const path = pathOf(record);
    if (path === null) continue;
    const place = treePath(path);
    const standing = place && isFile(objects, files.get(place));
    if (!standing && !notes.has(path) && !seen.get([seenName(path)])) fresh += 1;
    const content = payloads.find((payload) => payload.name === contentName(record.id));
    if (isKind(record, 'delete')) {
      for (const gone of place ? files.remove(place) : []) remember(gone, true);
      remember(path, true);
    } else if (place && content) {
      for (const displaced of files.set(place, content.mode, content.oid)) remember(displaced, true);
      notes.delete(path);
      seen.remove([seenName(path)]);
    } else if (!standing) remember(path, false);
  }
  for (const note of notes.values())
    seen.set([seenName(note.path)], '100644', objects.write('blob', Buffer.from(JSON.stringify(note))));
  return fresh;
}

/** Returns how many paths of the records are in no step of the chain. */
export function newPathCount(objects: ObjectStore, chain: Chain, records: readonly StoredRecord[]): number {
  const paths = new Set(records.map(pathOf).filter((path) => path !== null));
  let fresh = 0;
  for (const path of paths) {
    const place = treePath(path);
    const standing = place && isFile(objects, lookUp(objects, chain.tree, ['files', ...place]));
    const known = standing || lookUp(objects, chain.tree, ['payload', SEEN, seenName(path)]);
    if (!known) fresh += 1;
  }
  return fresh;
}

/** Returns the name of the payload with the content of a file. */
export const contentName = (id: string): string => `${id}.content`;

/** Returns the whole path of a file record; null for a record of another kind. A path too long for a line is its preview. */
function pathOf(record: StoredRecord): string | null {
  if (!isOfFile(record)) return null;
  const { path } = record;
  return typeof path === 'string' ? path : (JSON.stringify(path) ?? null);
}

export interface StepInput {
  /** The chain so far, or null for the first step. */
  chain: Chain | null;
  /** The session before this step, with its new title, sources and model. */
  session: Session;
  records: readonly StepRecord[];
  /** Time of the commit in Unix seconds. */
  at: number;
}

/** Writes one WorkCommit and its objects; returns the extended chain. Moves no pointer. */
export function writeStep(objects: ObjectStore, input: StepInput): Chain {
  const before = input.chain ? readTree(objects, input.chain.tree) : [];
  const payloadBefore = entryOf(before, 'payload');
  const seenBefore = payloadBefore === null ? null : entryOf(readTree(objects, payloadBefore), SEEN);
  const files = editTree(objects, entryOf(before, 'files'));
  const seen = editTree(objects, seenBefore);
  const records = input.records.map(recordOf);
  const told = input.records.map(wholeOf);
  const session = foldStep(input.session, told, applyFiles(objects, files, seen, input.records));

  const document = writeSession(objects, session);
  const entries: TreeEntry[] = [{ mode: '100644', name: 'session.json', oid: document.blob }];
  entries.push({ mode: '100644', name: 'step.jsonl', oid: objects.write('blob', Buffer.from(linesOf(input.records))) });
  const payloads: TreeEntry[] = [...document.payloads, ...hiddenPayloads(input.records)];
  const seenTree = seen.write();
  if (seenTree !== null) payloads.push({ mode: '40000', name: SEEN, oid: seenTree });
  if (payloads.length > 0)
    entries.push({ mode: '40000', name: 'payload', oid: objects.write('tree', encodeTree(payloads)) });
  const filesTree = files.write();
  if (filesTree !== null) entries.push({ mode: '40000', name: 'files', oid: filesTree });

  const tree = objects.write('tree', encodeTree(entries));
  const message = commitMessage(stepSubject(session, records), stepTrailers(session));
  const parents = [input.chain?.head ?? session.base];
  const head = objects.write(
    'commit',
    encodeCommit({ tree, parents, author: session.agent ?? 'ctx', at: input.at, message }),
  );
  return { session, head, tree };
}

const recordOf = ({ record }: StepRecord): StoredRecord => record;
const wholeOf = ({ whole, record }: StepRecord): StoredRecord => whole ?? record;

/** Returns the object id of a tree's entry; null if there is none. */
function entryOf(entries: readonly TreeEntry[], name: string): string | null {
  for (const entry of entries) if (entry.name === name) return entry.oid;
  return null;
}

/** Returns the lines of step.jsonl: one record a line, in order. */
function linesOf(records: readonly StepRecord[]): string {
  let lines = '';
  for (const { record, json } of records) lines += `${json ?? JSON.stringify(record)}\n`;
  return lines;
}

/** Returns the payloads of records, except contents of files that `files/` has in this very step. */
function hiddenPayloads(records: readonly StepRecord[]): TreeEntry[] {
  const hidden: TreeEntry[] = [];
  for (const item of records)
    for (const { name, mode, oid } of item.payloads)
      if (name !== contentName(item.record.id) || !isShown(item, records)) hidden.push({ name, mode, oid });
  return hidden;
}

/** Returns whether `files/` has the content of a record in this very step. */
function isShown(owner: StepRecord, records: readonly StepRecord[]): boolean {
  const path = pathOf(owner.record);
  if (path === null || !treePath(path)) return false;
  // A later record of the step may have replaced it: then only `payload/` has it.
  const last = records.findLast(
    (item) => displaces(pathOf(item.record), path) && item.payloads.length + Number(isKind(item.record, 'delete')) > 0,
  );
  return last === owner;
}

const displaces = (later: string | null, path: string): boolean =>
  later !== null && (later === path || later.startsWith(`${path}/`) || path.startsWith(`${later}/`));

/** One step as it is read. */
export interface Step {
  oid: string;
  commit: Commit;
  session: Session;
  records: StoredRecord[];
}

/** Reads the records of a step. @param whole whether to put long texts back in their places */
export function readRecords(objects: ObjectStore, tree: string, where: string, whole: boolean): StoredRecord[] {
  const entries = readTree(objects, tree);
  const entry = entries.find((candidate) => candidate.name === 'step.jsonl');
  if (!entry) throw damaged(where, 'it has no step.jsonl');
  const fetch = payloadReader(objects, entries, where);
  const records: StoredRecord[] = [];
  for (const { line, record } of recordLines(objects.readAs(entry.oid, 'blob'), `${where}, step.jsonl`))
    records.push(whole && mayHoldStub(line) ? internalise(record, fetch) : record);
  return records;
}

/**
 * Yields a chain's commits with their ids from the head down to the first step.
 * @throws {CtxError} damaged, if the chain is inconsistent
 */
export function* walkChain(objects: ObjectStore, head: string): Generator<[oid: string, commit: Commit]> {
  let expected: { session: string; step: number } | null = null;
  for (let oid = head; ; ) {
    const commit = readCommit(objects, oid);
    const trailers = trailersOf(commit.message);
    const step = Number(trailers.get('Ctx-Step'));
    const session = trailers.get('Ctx-Session') ?? '';
    if (!Number.isSafeInteger(step) || step < 1) throw damaged(`step ${oid}`, 'it has no number');
    if (expected && (expected.session !== session || expected.step !== step)) {
      throw damaged(
        `step ${oid}`,
        `it is step ${step} of ${session}, and must be step ${expected.step} of ${expected.session}`,
      );
    }
    yield [oid, commit];
    const parent = commit.parents[0];
    if (step === 1) return;
    if (parent === undefined) throw damaged(`step ${oid}`, 'it has no parent');
    expected = { session, step: step - 1 };
    oid = parent;
  }
}

/** Yields the records of each step of a chain, the latest step first. @param whole whether to put long texts back */
export function* latestRecords(
  objects: ObjectStore,
  { head }: Pick<Chain, 'head'>,
  whole = false,
): Generator<StoredRecord[]> {
  for (const [oid, { tree }] of walkChain(objects, head)) yield readRecords(objects, tree, `step ${oid}`, whole);
}

/** Yields the steps of a chain, first to last, or only its head; one is held at a time. */
export function* readSteps(objects: ObjectStore, head: string, whole: boolean, single = false): Generator<Step> {
  const oids = single ? [head] : [...walkChain(objects, head)].map(([oid]) => oid).reverse();
  for (const oid of oids) {
    const commit = readCommit(objects, oid);
    const session = readSession(objects, commit.tree, `step ${oid}`);
    yield { oid, commit, session, records: readRecords(objects, commit.tree, `step ${oid}`, whole) };
  }
}
