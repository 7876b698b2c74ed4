/** The key of a store: what a hash is made with so that equal secrets can be recognised and nothing can be guessed. */
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

/** Bytes of a key: as many as the hash has (RFC 2104 advises no fewer). */
const KEY_SIZE = 32;

type Store = Pick<Repository, 'layout' | 'ids' | 'durability' | 'lockWait'>;

const keys = new WeakMap<object, Buffer>();

/**
 * The key of a store; made at the first call. It never leaves the machine: it lies beside the refs, and no push takes it.
 * @throws {CtxError} damaged
 */
export function secretKey(store: Store): Buffer {
  const known = keys.get(store.layout);
  if (known) return known;
  const key = readKey(store) ?? makeKey(store);
  keys.set(store.layout, key);
  return key;
}

/** The key of a store, if it has one already: for those who only look. @throws {CtxError} damaged */
export const secretKeyIfThere = (store: Store): Buffer | null => keys.get(store.layout) ?? readKey(store);

/** HMAC-SHA-256 of a text with the key of a store, hexadecimal. @throws {CtxError} damaged */
export const keyedHash = (store: Store, text: string): string => hmacSha256(secretKey(store), text);

/** The key that a store has; null where it has none yet. @throws {CtxError} damaged, also where it is gone and something was forgotten with it */
export function readKey({ layout }: Pick<Store, 'layout'>): Buffer | null {
  const text = keyText(layout);
  if (text !== undefined && /^[0-9a-f]{64}\n$/.test(text)) return Buffer.from(text.trim(), 'hex');
  if (exists(layout.forgotten)) throw strangeKey(text === undefined ? 'it is gone' : 'it holds no key');
  if (text === undefined) return null;
  throw damaged('key', 'it holds no key', {
    hint: 'Remove the file: a new one is made. Equal secrets get other labels from then on.',
  });
}

/** What the file of a key says; undefined where there is none, and nothing where it is no file or far too large: that is no key. */
function keyText({ key }: Store['layout']): string | undefined {
  try {
    return readIfThere(key, DOCUMENT_LIMIT)?.toString('latin1');
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return '';
    throw error;
  }
}

/** A key that is not the one that something was forgotten with: with any other nothing would be known again. */
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
    // Whoever comes first decides; all others read what it has made.
    publishFile(temporary, layout.key, () => renameAlone(store, temporary));
    syncFolder(layout.root, durability);
  } finally {
    removeFile(temporary);
  }
  return readKey(store) ?? key;
}

/** Gives a key its name where names cannot be linked: under a lock of its own, so that none is renamed over another. */
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
