/** Recognises a store that has lost its pointers: it is damaged, and no place for a new one. */
import { readdirSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Layout } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { DOCUMENT_LIMIT, exists, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { isSessionId } from '../names/layout.ts';

/** Returns whether a folder without any pointer was a store. A store that is being made has neither a key nor records. */
export const wasStore = (layout: Layout): boolean =>
  (exists(layout.objects) && namesIn(layout.oplog).length > 0) ||
  (hasOwnConfig(layout) && (exists(layout.key) || hasContent(layout)));

/**
 * Returns whether anything was ever stored: an operation, a pending record, or an object beyond those that every store
 * begins with.
 */
export const hasContent = (layout: Layout): boolean =>
  namesIn(layout.oplog).length > 0 || namesIn(layout.pending).some(isSessionId) || hasOwnObjects(layout);

/** Returns whether the config has lines that only `init` writes: any other folder of that name is not a store of ctx. */
function hasOwnConfig({ config }: Layout): boolean {
  try {
    const text = readIfThere(config, DOCUMENT_LIMIT)?.toString('latin1') ?? '';
    return /logAllRefUpdates\s*=\s*always/i.test(text) && /sharedRepository\s*=\s*0600/i.test(text);
  } catch (error) {
    throwResourceError(error);
    if (!(error instanceof CtxError)) throw error;
    return false;
  }
}

/** The first commit and its empty tree. */
const FIRST_OBJECTS = 2;

function hasOwnObjects({ objects, pack }: Layout): boolean {
  if (namesIn(pack).some((name) => name.endsWith('.pack'))) return true;
  let loose = 0;
  for (const folder of namesIn(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    loose += namesIn(below(objects, folder)).filter((name) => /^[0-9a-f]{38}$/.test(name)).length;
    if (loose > FIRST_OBJECTS) return true;
  }
  return false;
}

/** Returns the names in a folder; empty if it cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throwResourceError(error);
    return [];
  }
}
