/** The secret key of a store: its keyed hashes recognise equal secrets without revealing them. */
import { CtxError, damaged } from '../../core/errors.ts';
import {
  createFile,
  DOCUMENT_LIMIT,
  exists,
  publishTemporary,
  readIfThere,
  removeFile,
  syncFolder,
} from '../../platform/files.ts';
import { fillRandom, hmacSha256 } from '../../platform/hash.ts';
import { takeLock } from '../../platform/lock.ts';
import { publishFile } from '../../platform/publish.ts';
import type { Repository } from './repository.ts';

/** Bytes of a key: the length of the hash (RFC 2104 advises no fewer). */
const KEY_SIZE = 32;

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

const keys = new WeakMap<object, Buffer>();

/**
 * Returns the key of a store, which is made at the first call. It never leaves the machine: it is beside the refs, and no
 * push includes it.
 * @throws {CtxError} damaged
 */
export function secretKey(store: Store): Buffer {
  const known = keys.get(store.layout);
  if (known) return known;
  const key = readKey(store) ?? makeKey(store);
  keys.set(store.layout, key);
  return key;
}

/** Returns the key of a store, if it has one, without making one. @throws {CtxError} damaged */
export const secretKeyIfThere = (store: Store): Buffer | null => keys.get(store.layout) ?? readKey(store);

/** Returns the HMAC-SHA-256 of a text with the key of a store, in hexadecimal. @throws {CtxError} damaged */
export const keyedHash = (store: Store, text: string): string => hmacSha256(secretKey(store), text);

/**
 * Reads the key of a store; returns null if it has none yet.
 * @throws {CtxError} damaged, also if the key of forgotten contents is gone
 */
export function readKey({ layout }: Pick<Store, 'layout'>): Buffer | null {
  const text = keyText(layout);
  if (text !== undefined && /^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex');
  if (exists(layout.forgotten)) throw strangeKey(text === undefined ? 'it is gone' : 'it holds no key');
  if (text === undefined) return null;
  throw damaged('key', 'it holds no key', {
    hint: 'Remove the file: a new one is made. Equal secrets get other labels from then on.',
  });
}

/** Reads the file of a key; returns undefined if there is none, and an empty text if it is no file or far too large. */
function keyText({ key }: Store['layout']): string | undefined {
  try {
    return readIfThere(key, DOCUMENT_LIMIT)?.toString('latin1');
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return '';
    throw error;
  }
}

/** Makes the error for a key other than that of forgotten.json: with another one no forgotten content would be recognised. */
export const strangeKey = (why: string): CtxError =>
  damaged('key', `${why}, and forgotten.json was made with it: what was forgotten could come back`, {
    hint: 'Nothing was taken in. Bring the file `key` back from a backup. If there is none, remove forgotten.json and key.forgotten, and forget again what must not come back.',
  });

function makeKey(store: Store): Buffer {
  const { layout, ids, durability } = store;
  const key = Buffer.alloc(KEY_SIZE);
  fillRandom(key);
  const temporary = `${layout.key}.${ids()}.tmp`;
  createFile(temporary, `${key.toString('hex')}\n`, durability);
  try {
    // The first process decides; all others read its key.
    publishFile(temporary, layout.key, () => renameAlone(store, temporary));
    syncFolder(layout.root, durability);
  } finally {
    removeFile(temporary);
  }
  return readKey(store) ?? key;
}

/** Renames a key on a file system without hard links: under a lock of its own, so that no key replaces another. */
function renameAlone({ layout, ids, durability, lockWait }: Store, temporary: string): boolean {
  const release = takeLock({ path: `${layout.key}.lock`, wait: lockWait, ids, durability });
  try {
    if (exists(layout.key)) return false;
    publishTemporary(temporary, layout.key, durability);
    return true;
  } finally {
    release();
  }
}
