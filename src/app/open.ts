/** Opening a store, for the command line and the library alike. */

export { CHUNK_SIZE } from '../git/objects/payload.ts';
export {
  checkOpened,
  findStore,
  type OpenOptions,
  openRepository,
  type Repository,
} from '../history/store/repository.ts';
export { DEFAULT_SETTINGS, type Settings } from '../history/store/settings.ts';
export { mayRunPrograms } from '../history/store/trust.ts';
export { systemClock } from '../platform/clock.ts';
export { existingFolder, workingFolder } from '../platform/working-folder.ts';
