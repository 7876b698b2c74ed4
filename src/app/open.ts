/** Opening a store, for the command line and the library alike. */
export { systemClock } from '../platform/clock.ts';
export { existingFolder, workingFolder } from '../platform/working-folder.ts';
export { CHUNK_SIZE } from '../store/objects/payload.ts';
export { checkOpened, findStore, type OpenOptions, openRepository, type Repository } from '../store/repository.ts';
export { DEFAULT_SETTINGS, type Settings } from '../store/settings.ts';
