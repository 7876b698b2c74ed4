/** An unlinked temporary file for the output of another program: the output may be long, and no other process can read it. */
import { openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { ioError, makeFolder } from './files.ts';
import { readHandle } from './pieces.ts';

/** Bytes that are read at once. */
const PIECE = 64 * 1024;

/**
 * Opens a temporary file for writing and removes its name: a kill leaves nothing of it.
 * @param name unique in its folder @param folder made if it is absent; the one of the machine if it cannot be written
 * @throws {CtxError} io
 */
export function openUnlinkedFile(name: string, folder?: string): number {
  if (folder === undefined) return opened(join(tmpdir(), `ctx-${name}`));
  try {
    makeFolder(folder, { fsync: false });
    return opened(join(folder, name));
  } catch {
    return opened(join(tmpdir(), `ctx-${name}`));
  }
}

function opened(path: string): number {
  try {
    const handle = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return handle;
  } catch (error) {
    throw ioError('write', path, error);
  }
}

/** Reads the file from its beginning, as text in chunks; may be called several times. */
export function* readText(handle: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  for (const piece of readHandle(handle, PIECE, 0)) yield decoder.write(piece);
  yield decoder.end();
}
