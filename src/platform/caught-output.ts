/** What another program writes, caught in a file that has no name any more: it may be long, and nobody else can read it. */
import { openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { ioError } from './files.ts';
import { readHandle } from './pieces.ts';

/** So much of it is read at once, in bytes. */
const PIECE = 64 * 1024;

/** An open file to write to. @param name makes the file's name one of its own. @throws {CtxError} io */
export function openNameless(name: string): number {
  const path = join(tmpdir(), `ctx-${name}`);
  try {
    const handle = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return handle;
  } catch (error) {
    throw ioError('write', path, error);
  }
}

/** What was written to it, as text in pieces, as often as it is asked for. */
export function* textOfHandle(handle: number): Generator<string> {
  const decoder = new StringDecoder('utf8');
  for (const piece of readHandle(handle, PIECE, 0)) yield decoder.write(piece);
  yield decoder.end();
}
