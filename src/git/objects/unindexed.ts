/** Packs that have no index: what is in them cannot be read, and is not lost. */
import { FETCH, OR_FETCH } from '../../core/errors.ts';
import { exists } from '../../platform/files.ts';
import type { Layout } from '../layout.ts';
import { indexOf, packPaths } from './pack-faults.ts';

/** Their paths. */
export const packsWithoutIndex = (layout: Layout): string[] =>
  packPaths(layout).filter((path) => !exists(indexOf(path)));

/** What to do about an object that may be in one. */
const INDEX_HINT = `A pack has no index, and may hold it: ctx fsck --repair makes one. Otherwise, ${OR_FETCH}`;

/** What to do about an object that is missing. */
export const hintForMissing = (layout: Layout): string => (packsWithoutIndex(layout).length > 0 ? INDEX_HINT : FETCH);
