/** Opening a store, for the command line and the library alike. */
import { plainStore } from '../git/objects/objects.ts';
import type { Repository } from '../history/store/repository.ts';

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

/** Returns a repository that counts the bytes of the objects that it reads and writes. @param onBytes called with the sum so far */
export function metered(repository: Repository, onBytes: (sum: number) => void): Repository {
  const objects = plainStore(repository.objects);
  let sum = 0;
  const count = (bytes: number): void => {
    sum += bytes;
    onBytes(sum);
  };
  return {
    ...repository,
    objects: {
      ...objects,
      read: (oid) => {
        const object = objects.read(oid);
        count(object.content.length);
        return object;
      },
      readAs: (oid, type) => {
        const content = objects.readAs(oid, type);
        count(content.length);
        return content;
      },
      write: (type, content) => {
        const oid = objects.write(type, content);
        count(content.length);
        return oid;
      },
    },
  };
}
