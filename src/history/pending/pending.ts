/** Records not yet flushed: one durable file each in `pending/<session>/`, with the objects of their payloads beside them. */

import { lstatSync } from 'node:fs';
import { adler32 } from '../../core/digest.ts';
import { CtxError, damaged, isDamage, notJson } from '../../core/errors.ts';
import { isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { envelopeProblem, RECORD_VERSION, type StoredRecord } from '../../core/record.ts';
import { checkFolder } from '../../git/guard.ts';
import { errorAfterRecords } from '../../git/interruption-errors.ts';
import { isSessionId, LOOSE_LIMIT, RECORD_LIMIT } from '../../git/layout.ts';
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
import type { Repository } from '../store/repository.ts';

/** Tree entries of a record's payloads and file content: their names under `payload/`, their mode and object id. */
export interface PayloadRef {
  name: string;
  mode: string;
  oid: string;
}

/** A record that waits for a flush. */
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

/** Whether a value is a list of tree entries that may stand under `payload/`: its names become names of files. */
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
 * The checksum stands before what it covers, so that the file is JSON and a flipped byte in it shows. Adler-32 does for that,
 * and costs a hook a fraction of a hash; records that were written with SHA-1 are still read.
 */
const OPENING = /^\{"(?:adler32":"([0-9a-f]{8})|sha1":"([0-9a-f]{40}))",/;

const checksumOf = (content: Buffer): string => adler32(content).toString(16).padStart(8, '0');

/** Takes objects for records that are about to be added; notes which. */
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
      // Its writer may have been killed before the disk had its name.
      if (isWholeObject(path, oid) && isSynced(folder, repository.durability)) return oid;
      const file = deflate(framed);
      for (let left = WRITE_TRIES; ; left -= 1) {
        checkFolder(repository.layout, folder);
        try {
          writeDurably(path, below(folder, `tmp_obj_${repository.ids()}`), file, repository.durability);
          return oid;
        } catch (error) {
          // A flush beside us, of a record with the same content, has taken it into the store, and removed it with its folder.
          if (rootCode(error) !== 'ENOENT' || left === 0) throw error;
        }
      }
    },
  };
}

/** How often an object is written anew that a flush takes away. */
const WRITE_TRIES = 20;

/** Waits for a folder's names; false where a flush beside us has just removed it with what was in it. */
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

/** The file of a record that waits. */
export function encodePending(pending: Pending): string {
  const rest = JSON.stringify(pending).slice(1);
  return `{"adler32":"${checksumOf(Buffer.from(rest))}",${rest}\n`;
}

/** Adds a record durably; when this returns it survives a kill. Its objects must have been written before. */
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
    // Whoever made the folder may have been killed before the disk had its name, or not be there yet. Only now, with a file in
    // it, is it the one that stays: a flush removes an empty one.
    syncFolder(layout.pending, durability);
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
  publishTemporary(temporary, path, { fsync: false });
  try {
    // A flush beside us may have it in a step already, which is durable before the file goes with its folder.
    isSynced(folder, durability);
  } catch (error) {
    // It cannot be taken away again: a flush may be reading it.
    throw error instanceof CtxError ? errorAfterRecords(session, [pending.record.id], error) : error;
  }
}

/** Names of the files of the records that wait for a session, in order of their ids. @throws {CtxError} unsupported_store */
export function pendingNames(repository: Repository, session: string): string[] {
  const folder = folderOf(repository, session);
  // To look for it costs less than the error of a list of nothing.
  if (!checkFolder(repository.layout, folder)) return [];
  return listFolder(folder).filter((name) => name.endsWith('.json'));
}

/**
 * The records that wait for a session, in order of their ids.
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
      // Beside what is kept of it: its bytes twice, and its text.
      tidyAfter(4 * text.length);
    }
    // A flush beside us may have taken it since the listing: it is in the chain then. A link that leads nowhere is no such one.
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

/** Every object of some records. A stranger's may tell of a payload and not of its object, which a step must not be made with. */
const neededBy = (pending: readonly Pending[]): Set<string> =>
  new Set(pending.flatMap(({ objects, payloads }) => [...objects, ...payloads.map(({ oid }) => oid)]));

/** Takes the objects of pending records over into the object store; their files stay until `removePending`. */
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

/** Why an object that waits cannot be taken over; null where it is in the store now. */
function adoptOrWhyNot({ objects }: Repository, path: string, oid: string): string | null {
  try {
    objects.adopt(path, oid);
    return null;
  } catch (error) {
    if (error instanceof CtxError && error.data?.torn === oid) return error.message;
    throw error;
  }
}

/** Objects of waiting records that are neither beside them nor in the store, whole. */
export function missingObjects(repository: Repository, session: string, pending: readonly Pending[]): string[] {
  const folder = objectsOf(repository, session);
  return [...neededBy(pending)].filter((oid) => !isWholeObject(below(folder, oid), oid) && !canRead(repository, oid));
}

function canRead(repository: Repository, oid: string): boolean {
  try {
    repository.objects.read(oid);
    return true;
  } catch (error) {
    // What must not be read may be whole.
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** Removes the files of records that are in the chain now, by id, and the objects that no other waiting record needs. */
export function removePending(repository: Repository, session: string, ids: readonly string[]): void {
  const folder = folderOf(repository, session);
  for (const id of ids) removeFile(below(folder, `${id}.json`));
  // The next step may not become durable before these removals are: it could not tell any more that they are in the chain.
  if (ids.length > 0) syncFolder(folder, repository.durability);
  if (!exists(folder) || listFolder(folder).some((name) => name !== 'objects')) return;
  const objects = objectsOf(repository, session);
  checkFolder(repository.layout, objects);
  // Only what the store has taken over: another process may have written an object and not yet its record.
  for (const oid of listFolder(objects).filter((name) => /^[0-9a-f]{40}$/.test(name))) {
    if (repository.objects.holds(oid)) removeFile(below(objects, oid));
  }
  removeEmptyFolder(objects);
  removeEmptyFolder(folder);
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Sessions that something waits for. */
export function sessionsWithPending(repository: Repository): string[] {
  return listFolder(repository.layout.pending).filter(isSessionId);
}
