/** Pending records: one durable file each in `pending/<session>/`, with the objects of their payloads beside them. */

import { lstatSync } from 'node:fs';
import { adler32 } from '../../core/digest.ts';
import { CtxError, damaged, isDamage, notJson } from '../../core/errors.ts';
import { isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { envelopeProblem, RECORD_VERSION, type StoredRecord } from '../../core/records/record.ts';
import { checkFolder } from '../../git/guard.ts';
import { errorAfterRecords } from '../../git/interruption-errors.ts';
import { LOOSE_LIMIT, RECORD_LIMIT } from '../../git/layout.ts';
import { decodeLoose, deflate, frame, sha1 } from '../../git/objects/loose.ts';
import type { ObjectWriter } from '../../git/objects/payload.ts';
import { below } from '../../platform/below.ts';
import {
  createFile,
  type Durability,
  exists,
  listFolder,
  makeFolder,
  publishTemporary,
  readIfThere,
  removeEmptyFolder,
  removeFile,
  rootCode,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { checkPinned, whilePinned } from '../../platform/pinned-folders.ts';
import { isSessionId } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';

/** Tree entry of a record's payload or file content: its name under `payload/`, its mode and object id. */
export interface PayloadRef {
  name: string;
  mode: string;
  oid: string;
}

/** A pending record. */
export interface Pending {
  record: StoredRecord;
  payloads: PayloadRef[];
  /** Every object that its payloads need, chunks included. */
  objects: string[];
}

const folderOf = (repository: Repository, session: string): string => below(repository.layout.pending, session);
const objectsOf = (repository: Repository, session: string): string => below(folderOf(repository, session), 'objects');

const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const areOids = (value: unknown): boolean => Array.isArray(value) && value.every(isOid);

/** Validates a list of tree entries for `payload/`: their names become names of files. */
function arePayloads(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (item) =>
      isObject(item) &&
      typeof item.name === 'string' &&
      /^[0-9A-Za-z][0-9A-Za-z_.-]{0,200}$/.test(item.name) &&
      (item.mode === '100644' || item.mode === '40000') &&
      isOid(item.oid),
  );
}

/**
 * The checksum precedes the bytes that it covers, so that the file is JSON and a flipped byte is noticed. Adler-32 suffices
 * for that, and takes a hook a fraction of a hash; records with SHA-1 are still read.
 */
const OPENING = /^\{"(?:adler32":"([0-9a-f]{8})|sha1":"([0-9a-f]{40}))",/;

const checksumOf = (content: Buffer): string => adler32(content).toString(16).padStart(8, '0');

/** Makes a writer of objects for records that will be added; it lists the written ones. */
export function pendingKeeper(repository: Repository, session: string): ObjectWriter & { written: string[] } {
  const written: string[] = [];
  const folder = objectsOf(repository, session);
  return {
    written,
    write: (type, content) => {
      const framed = frame(type, content);
      const oid = sha1(framed);
      written.push(oid);
      checkPinned(repository.layout.root);
      const path = below(folder, oid);
      // Its writer may have been killed before its name was on disk.
      if (isWholeObject(path, oid) && isSynced(folder, repository.durability)) return oid;
      const file = deflate(framed);
      for (let left = WRITE_TRIES; ; left -= 1) {
        checkFolder(repository.layout, folder);
        try {
          writeDurably(path, below(folder, `tmp_obj_${repository.ids()}`), file, repository.durability);
          return oid;
        } catch (error) {
          // A concurrent flush of a record with the same content has adopted the object, and removed it with its folder.
          if (rootCode(error) !== 'ENOENT' || left === 0) throw error;
        }
      }
    },
  };
}

/** Number of attempts to write an object that a flush keeps removing. */
const WRITE_TRIES = 20;

/** Syncs a folder; returns false if a concurrent flush has just removed it with its content. */
function isSynced(folder: string, durability: Durability): boolean {
  try {
    syncFolder(folder, durability);
    return true;
  } catch (error) {
    if (rootCode(error) === 'ENOENT') return false;
    throw error;
  }
}

export function isWholeObject(path: string, oid: string): boolean {
  const file = readIfThere(path, LOOSE_LIMIT);
  if (file === undefined) return false;
  try {
    decodeLoose(file, oid);
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** Encodes the file of a pending record. */
export function encodePending(pending: Pending): string {
  const rest = JSON.stringify(pending).slice(1);
  return `{"adler32":"${checksumOf(Buffer.from(rest))}",${rest}\n`;
}

/** Adds a record durably: it survives a kill from then on. Its objects must have been written before. */
export const addPending = (repository: Repository, session: string, pending: Pending): void =>
  whilePinned(repository.layout.root, () => add(repository, session, pending));

function add(repository: Repository, session: string, pending: Pending): void {
  const { layout, durability } = repository;
  const folder = folderOf(repository, session);
  const found = checkFolder(layout, folder);
  if (!found) makeFolder(layout.pending, durability);
  else if (!found.isDirectory()) throw damaged(`pending/${session}`, 'it must be a folder');
  makeFolder(folder, { fsync: false });
  const path = below(folder, `${pending.record.id}.json`);
  const temporary = below(folder, `${pending.record.id}.tmp`);
  createFile(temporary, encodePending(pending), durability);
  try {
    // The maker of the folder may have been killed before its name was on disk, or may still be running. Synced only now,
    // with a file in it, since a flush removes an empty folder.
    syncFolder(layout.pending, durability);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
  publishTemporary(temporary, path, { fsync: false });
  try {
    // A concurrent flush may have it in a step already, which is durable before the file and its folder are removed.
    isSynced(folder, durability);
  } catch (error) {
    // The file cannot be removed again: a flush may be reading it.
    throw error instanceof CtxError ? errorAfterRecords(session, [pending.record.id], error) : error;
  }
}

/** Returns the file names of a session's pending records, ordered by id. @throws {CtxError} unsupported_store */
export function pendingNames(repository: Repository, session: string): string[] {
  const folder = folderOf(repository, session);
  // Checking for the folder takes less time than the error of listing an absent one.
  if (!checkFolder(repository.layout, folder)) return [];
  return listFolder(folder).filter((name) => name.endsWith('.json'));
}

/**
 * Reads the pending records of a session, ordered by id.
 * @param only names of the files to read (default: all of them)
 * @throws {CtxError} damaged, newer_version
 */
export function readPending(repository: Repository, session: string, only?: readonly string[]): Pending[] {
  const folder = folderOf(repository, session);
  const names = only ?? pendingNames(repository, session);
  const found: Pending[] = [];
  for (const name of names) {
    const [path, where] = [below(folder, name), `pending/${session}/${name}`];
    const text = readIfThere(path, RECORD_LIMIT)?.toString('utf8');
    if (text !== undefined) {
      found.push(parsePending(text, where, name.slice(0, -5)));
      // Garbage of the read: its bytes twice, and its text.
      tidyAfter(4 * text.length);
    }
    // A concurrent flush may have taken it since the listing, and it is in the chain then; a dangling link is another case.
    else if (isLink(path)) throw damaged(where, 'it is a link');
  }
  return found;
}

function parsePending(text: string, where: string, id: string): Pending {
  const refuse = (why: string): CtxError =>
    damaged(where, why, { hint: 'Nothing was flushed. ctx fsck --repair sets it aside.' });
  const [opening, adler = '', sha = ''] = OPENING.exec(text) ?? [''];
  const rest = Buffer.from(text.slice(opening.length).replace(/\n$/, ''));
  const matches = opening !== '' && (sha === '' ? checksumOf(rest) === adler : sha1(rest) === sha);
  if (!matches) throw refuse('its checksum does not match');
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw notJson(where, cause);
  }
  if (!isObject(value) || !isObject(value.record) || !arePayloads(value.payloads) || !areOids(value.objects)) {
    throw refuse('it holds no record');
  }
  const problem = envelopeProblem(value.record);
  if (problem !== null || value.record.id !== id) throw refuse(problem ?? 'its name is not the id of its record');
  if ((value.record.version as number) > RECORD_VERSION) throw newer(where);
  return value as unknown as Pending;
}

export function newer(where: string): CtxError {
  return new CtxError('newer_version', `${where} was written by a newer version of ctx.`, {
    hint: 'Upgrade ctx, and run the command again; nothing was changed.',
  });
}

/**
 * Returns every object of some records. A stranger's record may name a payload but not its object, without which a step must
 * not be made.
 */
const neededBy = (pending: readonly Pending[]): Set<string> =>
  new Set(pending.flatMap(({ objects, payloads }) => [...objects, ...payloads.map(({ oid }) => oid)]));

/** Adopts the objects of pending records into the object store; their files stay until `removePending`. */
export function adoptObjects(repository: Repository, session: string, pending: readonly Pending[]): void {
  const folder = objectsOf(repository, session);
  for (const oid of neededBy(pending)) {
    const path = below(folder, oid);
    const why = exists(path) ? adoptOrWhyNot(repository, path, oid) : 'it is missing';
    if (why === null || repository.objects.holds(oid)) continue;
    const hint =
      'Nothing was flushed. ctx fsck --repair brings it back, or sets it aside with the records that need it.';
    throw damaged(`pending/${session}/objects/${oid}`, why, { hint });
  }
}

/** Adopts a pending object; returns null, or the reason if it is torn. */
function adoptOrWhyNot({ objects }: Repository, path: string, oid: string): string | null {
  try {
    objects.adopt(path, oid);
    return null;
  } catch (error) {
    if (error instanceof CtxError && error.data?.torn === oid) return error.message;
    throw error;
  }
}

/** Returns the objects of pending records that are whole neither beside them nor in the store. */
export function missingObjects(repository: Repository, session: string, pending: readonly Pending[]): string[] {
  const folder = objectsOf(repository, session);
  return [...neededBy(pending)].filter((oid) => !isWholeObject(below(folder, oid), oid) && !canRead(repository, oid));
}

function canRead(repository: Repository, oid: string): boolean {
  try {
    repository.objects.read(oid);
    return true;
  } catch (error) {
    // An object without read permission may be whole.
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** Removes the files of records that are in the chain now, by id, and the objects that no other pending record needs. */
export function removePending(repository: Repository, session: string, ids: readonly string[]): void {
  const folder = folderOf(repository, session);
  for (const id of ids) removeFile(below(folder, `${id}.json`));
  // The next step may not become durable before these removals: otherwise it would be unknown that they are in the chain.
  if (ids.length > 0) syncFolder(folder, repository.durability);
  if (!exists(folder) || listFolder(folder).some((name) => name !== 'objects')) return;
  const objects = objectsOf(repository, session);
  checkFolder(repository.layout, objects);
  // Only adopted ones: another process may have written an object and not yet its record.
  for (const oid of listFolder(objects).filter((name) => /^[0-9a-f]{40}$/.test(name))) {
    if (repository.objects.holds(oid)) removeFile(below(objects, oid));
  }
  removeEmptyFolder(objects);
  removeEmptyFolder(folder);
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Returns the sessions with pending records. */
export function sessionsWithPending(repository: Repository): string[] {
  return listFolder(repository.layout.pending).filter(isSessionId);
}
