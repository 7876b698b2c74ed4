/** What is kept of a file that an agent read or wrote: its content up to a limit, else its size and SHA-256. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { recordPath } from '../core/file-path.ts';
import { errorCode, ioError } from '../platform/files.ts';
import { runningSha256, sha256 } from '../platform/hash.ts';
import { readPieces } from '../platform/pieces.ts';
import { CHUNK_SIZE, type Keeper, keepContent } from '../store/payload.ts';
import type { Repository } from '../store/repository.ts';

/** What a record says of a file's content. */
export interface Snapshot {
  fields: { blob?: string; bytes: number; sha256?: string };
  content?: { mode: string; oid: string };
}

/** An absolute path with slashes, links in its folders followed where that brings it into the project. */
export function pathInProject(repository: Pick<Repository, 'project'>, path: string, from: string): string {
  const absolute = isAbsolute(path) ? path : resolve(from, path);
  const slashes = (text: string): string => (sep === '\\' ? text.replaceAll('\\', '/') : text);
  const plain = recordPath(slashes(absolute), slashes(repository.project));
  if (!plain.startsWith('/')) return plain;
  const real = join(realFolder(dirname(absolute)), absolute.slice(dirname(absolute).length));
  const followed = recordPath(slashes(real), slashes(realFolder(repository.project)));
  return followed.startsWith('/') ? plain : followed;
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Reads a file once and keeps what the limit allows; null where there is no such file.
 * @param limit largest content that is kept, in bytes
 * @throws {CtxError} invalid_input, where it is no regular file; io, where it cannot be read
 */
export function snapshotFile(path: string, limit: number, keeper: Keeper): Snapshot | null {
  let stat: Stats;
  try {
    stat = statSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    throw ioError('read', path, error);
  }
  if (!stat.isFile()) {
    throw new CtxError('invalid_input', `${path} is not a file.`, { hint: 'Name the files in it one by one.' });
  }
  return stat.size > limit ? measure(path) : keepOrMeasure(path, limit, keeper);
}

function measure(path: string): Snapshot {
  const hash = runningSha256();
  let bytes = 0;
  for (const piece of readPieces(path, CHUNK_SIZE)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { fields: { bytes, sha256: hash.digest('hex') } };
}

/** Keeps a content; one that has grown beyond the limit since its size was read is measured instead. */
function keepOrMeasure(path: string, limit: number, keeper: Keeper): Snapshot {
  const pieces = function* (): Generator<Buffer> {
    let bytes = 0;
    for (const piece of readPieces(path, CHUNK_SIZE)) {
      bytes += piece.length;
      if (bytes > limit) throw new Grown();
      yield piece;
    }
  };
  try {
    const kept = keepContent(keeper, pieces());
    return { fields: { blob: kept.oid, bytes: kept.bytes }, content: { mode: kept.mode, oid: kept.oid } };
  } catch (error) {
    if (error instanceof Grown) return measure(path);
    throw error;
  }
}

class Grown extends Error {}

function* chunksOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += CHUNK_SIZE) yield content.subarray(at, at + CHUNK_SIZE);
}

/** Keeps a content that is in memory already. */
export function snapshotContent(content: Buffer, limit: number, keeper: Keeper): Snapshot {
  if (content.length > limit) {
    return { fields: { bytes: content.length, sha256: sha256(content) } };
  }
  const kept = keepContent(keeper, chunksOf(content));
  return { fields: { blob: kept.oid, bytes: kept.bytes }, content: { mode: kept.mode, oid: kept.oid } };
}
