/** session.json in a commit's tree: written with bounded length, with long texts in payloads, and read back whole. */
import { CtxError, damaged, FETCH } from '../../core/errors.ts';
import { externalise, type FetchPayload, internalise, relieve } from '../../core/externalise.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { SESSION_VERSION, type Session, sessionProblem } from '../../core/session/session.ts';
import { isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { sha256 } from '../../platform/hash.ts';
import { newer, type PayloadRef } from '../pending/pending.ts';

/** Longest session.json, in bytes (format rule of ctx: under 64 KiB); a little less leaves room for the last stub. */
const DOCUMENT_LIMIT = 60 * 1024;

/** Longest one that is read: far more than was ever written. */
const READ_LIMIT = 1024 * 1024;

/** Returns a function that stores a payload of session.json and collects its tree entry. */
function keeperOf(
  objects: Pick<ObjectStore, 'write'>,
  payloads: PayloadRef[],
): (name: string, content: Buffer) => string {
  return (name, content) => {
    payloads.push({ name, mode: '100644', oid: objects.write('blob', content) });
    return sha256(content);
  };
}

/** Writes session.json; returns its blob and the payloads beside it. */
export function writeSession(
  objects: Pick<ObjectStore, 'write'>,
  session: Session,
): { blob: string; payloads: PayloadRef[] } {
  const payloads: PayloadRef[] = [];
  const keep = keeperOf(objects, payloads);
  const document = externalise(session, 'session', keep) as JsonObject;
  // Many short values may still be too long together: the largest are moved, as JSON, until the rest fits.
  const text = relieve(document, session as unknown as JsonObject, 'session', DOCUMENT_LIMIT, keep);
  if (text === null) {
    throw new CtxError('invalid_input', 'The session has too many keys to be kept in session.json.');
  }
  return { blob: objects.write('blob', Buffer.from(`${text}\n`)), payloads };
}

/** Reads session.json from the tree of a WorkCommit or canonical commit. @throws {CtxError} damaged, newer_version */
export function readSession(objects: ObjectStore, tree: string, where: string): Session {
  const entries = readTree(objects, tree);
  const entry = entries.find((candidate) => candidate.name === 'session.json');
  if (!entry) throw damaged(where, 'it has no session.json');
  const content = objects.readAs(entry.oid, 'blob');
  if (content.length > READ_LIMIT) throw damaged(where, 'its session.json is far too large');
  const text = content.toString('utf8');
  let document: JsonValue;
  try {
    document = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged(where, 'its session.json is no JSON', { cause }) : cause;
  }
  if (!isObject(document)) throw damaged(where, 'its session.json is no object');
  if (typeof document.version === 'number' && document.version > SESSION_VERSION)
    throw newer(`session.json of ${where}`);
  if (document.version !== SESSION_VERSION) throw damaged(where, 'its session.json has no version');
  const whole = text.includes('"payload":') ? internalise(document, payloadReader(objects, entries, where)) : document;
  const problem = sessionProblem(whole);
  if (problem !== null) throw damaged(where, `its session.json: ${problem}`);
  return whole as unknown as Session;
}

/** Returns the entries under `payload/` of a commit's tree, by name. */
export function payloadEntries(
  objects: Pick<ObjectStore, 'readAs'>,
  entries: readonly TreeEntry[],
): Map<string, TreeEntry> {
  const folder = entries.find((entry) => entry.name === 'payload' && isTree(entry));
  return new Map((folder ? readTree(objects, folder.oid) : []).map((entry) => [entry.name, entry]));
}

function firstChunks(objects: Pick<ObjectStore, 'readAs'>, tree: string, bytes: number): Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (const { oid } of readTree(objects, tree)) {
    if (length >= bytes) break;
    const chunk = objects.readAs(oid, 'blob');
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks);
}

/**
 * Returns a reader of the payloads in a commit's tree; it returns null for one that is stored in chunks. It throws if a
 * payload is missing or does not match its stub: the preview alone would look like the whole text.
 * @param beginning bytes that are returned of one that is stored in chunks, about: only whole chunks are read
 */
export function payloadReader(
  objects: Pick<ObjectStore, 'readAs'>,
  entries: readonly TreeEntry[],
  where: string,
  beginning = 0,
): FetchPayload {
  let payloads: Map<string, TreeEntry> | undefined;
  return ({ payload, bytes, sha256: told }) => {
    payloads ??= payloadEntries(objects, entries);
    const entry = payloads.get(payload);
    if (!entry) throw damaged(where, `its payload/${payload}, a text of ${bytes} bytes, is missing`, { hint: FETCH });
    if (isTree(entry)) return beginning > 0 ? firstChunks(objects, entry.oid, beginning) : null;
    const content = objects.readAs(entry.oid, 'blob');
    if (content.length !== bytes || sha256(content) !== told)
      throw damaged(where, `its payload/${payload} is not the text of ${bytes} bytes that was kept`, { hint: FETCH });
    return content;
  };
}
