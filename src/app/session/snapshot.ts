/** Stores the content of a file that an agent read or wrote: its redacted text, up to a limit; else its size and SHA-256. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { cleanBelow, recordPath } from '../../core/file-path.ts';
import { CHUNK_SIZE, type ObjectWriter, storeContent } from '../../git/objects/payload.ts';
import type { Repository } from '../../history/store/repository.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { RunningHash } from '../../platform/hash.ts';
import { readPieces } from '../../platform/pieces.ts';
import { isSecretFile } from '../../secrets/index.ts';
import { BinaryContent, type Redaction } from '../redaction/redact.ts';

/** Content of a file, as a record has it. */
interface Snapshot {
  fields: { blob?: string; bytes?: number; sha256?: string; forgotten?: true };
  content?: { mode: string; oid: string };
}

/**
 * Returns a path as records name it: with slashes, and with the links of its folders resolved if that leads into the
 * project. It is redacted first: after normalising, a URL in it would no longer look like one.
 */
export function pathInProject(
  repository: Pick<Repository, 'project'>,
  redaction: Redaction,
  given: string,
  from: string,
): string {
  const path = cleanBelow(given, repository.project, redaction.text);
  const absolute = isAbsolute(path) ? path : resolve(from, path);
  return resolveLinks(absolute, repository.project);
}

/**
 * Returns the same for a path that an agent reports, from the folder that it worked in.
 * @param clean redacts the path
 */
export const statedPath = (given: string, root: string, clean: Redaction['text']): string =>
  resolveLinks(cleanBelow(given, root, clean), root);

/** Longest path that leads to a file (PATH_MAX of Linux): resolving a longer one takes long, and finds nothing. */
const LONGEST_PATH = 4096;

function resolveLinks(path: string, root: string): string {
  const slashes = (text: string): string => (sep === '\\' ? text.replaceAll('\\', '/') : text);
  const plain = recordPath(slashes(path), slashes(root));
  if (!plain.startsWith('/') || path.length > LONGEST_PATH) return plain;
  const real = join(realPath(dirname(path)), path.slice(dirname(path).length));
  const inside = recordPath(slashes(real), slashes(realPath(root)));
  return inside.startsWith('/') ? plain : inside;
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The form in which a content is stored. */
export interface Keeping {
  keeper: ObjectWriter;
  /** Largest content that is stored, in bytes. */
  limit: number;
  redaction: Redaction;
  /** True if binary contents, and those of files known to hold secrets, are stored too. */
  all: boolean;
}

/** Returns how a store keeps contents, by its settings. @param all whether every content was asked for */
export function keepingOf(
  { settings }: Pick<Repository, 'settings'>,
  keeper: ObjectWriter,
  redaction: Redaction,
  all = false,
): Keeping {
  const byDefault = settings.redact !== false && settings.redact.content === 'all';
  return { keeper, limit: settings.snapshot_limit, redaction, all: all || byDefault };
}

/**
 * Reads a file once and stores its content if allowed; null if there is no such file.
 * @throws {CtxError} invalid_input, if it is not a regular file; io, if it cannot be read
 */
export function snapshotFile(path: string, keeping: Keeping): Snapshot | null {
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
  const pieces = (): Iterable<Buffer> => readPieces(path, CHUNK_SIZE);
  const isSecret = mayHoldSecrets(path, keeping) || mayHoldSecrets(realPath(path), keeping);
  return stat.size > keeping.limit || isSecret ? measure(pieces()) : keepOrMeasure(pieces, keeping);
}

/** Largest file that a hook reads to store it, in bytes: redacting more would make its tool wait. */
const LARGEST_READ = 64 * 1024;

/**
 * Stores a file of the project that a tool has just written and whose content is not in the event: of a larger one its
 * size and SHA-256; null if it cannot be read, lies elsewhere behind a link, or exceeds the limit of contents.
 */
export function snapshotWritten(path: string, project: string, keeping: Keeping): Snapshot | null {
  try {
    const real = realpathSync(path);
    if (recordPath(real, realPath(project)).startsWith('/')) return null;
    const { size } = statSync(real);
    if (size > keeping.limit) return null;
    return snapshotFile(path, size > LARGEST_READ ? { ...keeping, limit: LARGEST_READ } : keeping);
  } catch {
    // It may be gone again, or in a folder that ctx may not read.
    return null;
  }
}

/** Stores a content that is in memory already. @param path the file that has it */
export function snapshotContent(content: Buffer, path: string, keeping: Keeping): Snapshot {
  const pieces = (): Iterable<Buffer> => chunksOf(content);
  return content.length > keeping.limit || mayHoldSecrets(path, keeping)
    ? measure(pieces())
    : keepOrMeasure(pieces, keeping);
}

const mayHoldSecrets = (path: string, { redaction, all }: Keeping): boolean =>
  redaction.isOn && !all && isSecretFile(path);

function* chunksOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += CHUNK_SIZE) yield content.subarray(at, at + CHUNK_SIZE);
}

function measure(pieces: Iterable<Buffer>): Snapshot {
  const hash = new RunningHash('sha256');
  let bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { fields: { bytes, sha256: hash.digest() } };
}

/** Stores a content; one that is binary, or has grown beyond the limit since its size was read, is measured instead. */
function keepOrMeasure(read: () => Iterable<Buffer>, { keeper, limit, redaction, all }: Keeping): Snapshot {
  const pieces = function* (): Generator<Buffer> {
    let bytes = 0;
    for (const piece of read()) {
      bytes += piece.length;
      if (bytes > limit) throw new Grown();
      yield piece;
    }
  };
  try {
    if (redaction.isForgotten?.(pieces(), all)) return { fields: { forgotten: true } };
    const kept = storeContent(keeper, redaction.content(pieces(), all));
    return { fields: { blob: kept.oid, bytes: kept.bytes }, content: { mode: kept.mode, oid: kept.oid } };
  } catch (error) {
    if (error instanceof Grown || error instanceof BinaryContent) return measure(read());
    throw error;
  }
}

class Grown extends Error {}
