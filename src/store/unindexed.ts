/** Packs that have no index: what is in them cannot be read, and is not lost. */
import { FETCH } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { exists, listFolder } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/** Their paths. */
export const packsWithoutIndex = ({ pack }: Layout): string[] =>
  listFolder(pack)
    .filter((name) => /^pack-[0-9a-f]{40}\.pack$/.test(name))
    .map((name) => below(pack, name))
    .filter((path) => !exists(path.replace(/\.pack$/, '.idx')));

/** What to do about an object that may be in one. */
const INDEX_HINT =
  'A pack has no index, and may hold it: ctx fsck --repair makes one. Otherwise, fetch it from a backup or a clone of the store.';

/** What to do about an object that is missing. */
export const hintForMissing = (layout: Layout): string => (packsWithoutIndex(layout).length > 0 ? INDEX_HINT : FETCH);
