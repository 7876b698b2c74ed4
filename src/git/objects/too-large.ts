/** Objects that are larger than anything we hold in memory: whether one is whole only Git can tell. */

import { CtxError, damaged } from '../../core/errors.ts';
import { inflateBeginning } from '../../platform/compression.ts';
import { errorCode } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Layout } from '../layout.ts';
import { CONTENT_LIMIT } from '../layout.ts';
import { loosePath } from './loose.ts';

/** How much of a file is inflated for its header, in bytes: a stream begins with its tables. */
const BEGINNING = 1024;

/** What deflates best becomes so many times smaller: a file with less bytes than this holds none of them. */
const MOST_DEFLATED = 1032;
export const LEAST_BYTES = Math.floor(CONTENT_LIMIT / MOST_DEFLATED);

/** What to say of one. */
export const TOO_LARGE = 'it is larger than ctx can hold';
export const ASK_GIT = 'Check it with: git --git-dir=.ctx fsck --strict --full --no-dangling';

/** Whether a loose object says of itself that it is too large; one that is not there does not. */
export function isTooLarge(path: string): boolean {
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
 * Refuses loose objects that are too large before Git packs them: it would hold one whole, and in a pack ctx reads it no more.
 * @param heavy those whose files have `LEAST_BYTES` or more
 * @throws {CtxError} damaged
 */
export function refuseTooLarge({ objects }: Layout, heavy: readonly string[]): void {
  for (const oid of heavy) {
    const path = loosePath(objects, oid);
    if (!isTooLarge(path)) continue;
    throw damaged(`object ${oid}`, TOO_LARGE, {
      hint: `Nothing was packed. Look for what needs it with: ctx fsck. If nothing does, move it out of the store: ${path}`,
    });
  }
}
