/** Receives a bundle into quarantine: its pack is kept in a file without a name, apart from the store, and is gone with the process. */
import { closeSync } from 'node:fs';
import { decodeCommit } from '../../core/commit.ts';
import {
  type BundleRef,
  HEADER_LIMIT,
  headerLength,
  parseHeader,
  SIGNATURE,
} from '../../core/exchange/bundle-header.ts';
import { type Manifest, readManifest } from '../../core/exchange/manifest.ts';
import { isTree } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type ReceivedPack, receivePack } from '../../git/objects/received-pack.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { EXPORT } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { ioError, writeAll } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { openUnlinkedFile } from '../../platform/unlinked-file.ts';
import { MANIFEST, refsOf, SESSIONS_FOLDER } from './bundle.ts';
import { refused, refusing } from './refusal.ts';

/** A bundle in quarantine. */
export interface Received {
  manifest: Manifest;
  pack: ReceivedPack;
  /** Its objects, as a store that cannot be written to. */
  objects: ObjectStore;
  /** Number of objects that belong to the manifest alone. */
  own: number;
}

/** Receives a bundle, and reads its manifest. The caller closes the pack. @throws {CtxError} invalid_bundle, newer_version, io */
export function receive(repository: Repository, pieces: Iterable<Buffer>): Received {
  const { refs, pack } = quarantine(repository, pieces);
  try {
    return refusing(() => ({ pack, objects: asStore(pack), ...readExport(pack, refs) }));
  } catch (error) {
    pack.close();
    throw error;
  }
}

/** Reads a bundle into a file without a name. */
function quarantine(repository: Repository, pieces: Iterable<Buffer>): { refs: BundleRef[]; pack: ReceivedPack } {
  const handle = openUnlinkedFile(`tmp_pack_${repository.ids()}`, repository.layout.cache);
  let refs: BundleRef[];
  try {
    refs = separated(pieces, handle);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
  return { refs, pack: refusing(() => receivePack(handle)) };
}

/** Writes the pack of a bundle into a file; returns the refs of its header. */
function separated(pieces: Iterable<Buffer>, handle: number): BundleRef[] {
  let refs: BundleRef[] | null = null;
  let held: Buffer = Buffer.alloc(0);
  const put = (bytes: Buffer): void => {
    try {
      writeAll(handle, bytes);
    } catch (error) {
      throw ioError('write', 'the quarantine', error);
    }
  };
  for (const piece of pieces) {
    if (refs) {
      put(piece);
      continue;
    }
    held = Buffer.concat([held, piece]);
    const length = headerLength(held);
    if (length === null && held.length > HEADER_LIMIT) throw refused('its header does not end');
    // Input that is no bundle is refused at once: it may be a stream that never ends.
    if (!held.subarray(0, 3).equals(Buffer.from(SIGNATURE).subarray(0, Math.min(3, held.length)))) break;
    if (length === null) continue;
    refs = refsIn(held.subarray(0, length));
    put(held.subarray(length));
  }
  return refs ?? refsIn(held);
}

function refsIn(header: Buffer): BundleRef[] {
  const refs = parseHeader(header);
  if (typeof refs === 'string') throw refused(refs);
  if (headerLength(header) === null) throw refused('it is cut off');
  return refs;
}

/** Reads the manifest, and compares the refs with it. */
function readExport(pack: ReceivedPack, refs: readonly BundleRef[]): { manifest: Manifest; own: number } {
  const oid = refs.find(({ name }) => name === EXPORT)?.oid;
  if (oid === undefined) throw refused('ctx export has not written it');
  const { tree } = decodeCommit(pack.readAs(oid, 'commit'), oid);
  const entries = readTree(pack, tree);
  const entry = entries.find(({ name }) => name === MANIFEST);
  const folder = entries.find((one) => one.name === SESSIONS_FOLDER && isTree(one));
  if (!entry || !folder || entries.length > 2)
    throw refused('its export holds something else than a manifest and sessions');
  const manifest = readManifest(pack.readAs(entry.oid, 'blob').toString('utf8'));
  if (typeof manifest === 'string') throw refused(manifest);
  const expected = refsOf(manifest.sessions, manifest.main, oid);
  if (JSON.stringify(expected) !== JSON.stringify(refs.map(({ name, oid: value }) => ({ name, oid: value }))))
    throw refused(`its refs are not those of its manifest${foreignIn(refs, expected)}`);
  const files = readTree(pack, folder.oid);
  const names = new Set(manifest.sessions.map(({ session_id }) => `${session_id}.json`));
  if (files.length !== names.size || !files.every(({ name }) => names.has(name)))
    throw refused('its export describes other sessions than its manifest');
  for (const { name, oid: blob } of files) {
    const piece = manifest.pieces.find((one) => one.name === `${SESSIONS_FOLDER}/${name}`);
    if (piece?.sha256 !== sha256(pack.readAs(blob, 'blob')))
      throw refused(`the hash of ${name} is not that of its manifest`);
  }
  return { manifest, own: new Set([oid, tree, entry.oid, folder.oid, ...files.map((file) => file.oid)]).size };
}

/** Words the first ref that a bundle should not have. */
function foreignIn(refs: readonly BundleRef[], expected: readonly BundleRef[]): string {
  const names = new Set(expected.map(({ name }) => name));
  const foreign = refs.find(({ name }) => !names.has(name));
  return foreign ? `: ${foreign.name.slice(0, 200)}` : '';
}

/** Returns the objects of a pack as a store that cannot be written to. */
function asStore(pack: ReceivedPack): ObjectStore {
  const readOnly = (): never => {
    throw refused('a part of it would have to be written');
  };
  return {
    read: pack.read,
    readAs: pack.readAs,
    holds: pack.has,
    write: readOnly,
    adopt: readOnly,
    loosen: readOnly,
    withPrefix: () => [],
    close: pack.close,
  };
}
