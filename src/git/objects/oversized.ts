/** Objects that are too large for memory: only Git can check them. */

import { CtxError, damaged } from '../../core/errors.ts';
import { inflateBeginning } from '../../platform/compression.ts';
import { errorCode } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Layout } from '../layout.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import { loosePath } from './loose.ts';

/** Bytes of a file that are inflated for its header: a stream begins with its tables. */
const BEGINNING = 1024;

/** Largest compression ratio of zlib: a file with fewer bytes than LEAST_BYTES has no such object. */
const MOST_DEFLATED = 1032;
export const LEAST_BYTES = Math.floor(CONTENT_LIMIT / MOST_DEFLATED);

/** The reason and the hint. */
export const TOO_LARGE = 'it is larger than ctx can hold';
export const ASK_GIT = 'Check it with: git --git-dir=.ctx fsck --strict --full --no-dangling';

/** Returns whether the header of a loose object says that it is too large; false if it is absent. */
export function isOversized(path: string): boolean {
  try {
    const text = inflateBeginning(readBeginning(path, BEGINNING)).toString('latin1', 0, 32);
    const header = /^(?:blob|tree|commit|tag) (\d{1,15})\0/.exec(text);
    return header !== null && Number(header[1]) > CONTENT_LIMIT;
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError || errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Refuses loose objects that are too large before Git packs them: Git would hold one whole, and ctx cannot read it from a
 * pack.
 * @param heavy those whose files have `LEAST_BYTES` or more
 * @throws {CtxError} damaged
 */
export function refuseOversized({ objects }: Layout, heavy: readonly string[]): void {
  for (const oid of heavy) {
    const path = loosePath(objects, oid);
    if (!isOversized(path)) continue;
    throw damaged(`object ${oid}`, TOO_LARGE, {
      hint: `Nothing was packed. Look for what needs it with: ctx fsck. If nothing does, move it out of the store: ${path}`,
    });
  }
}
