/** Removes temporary files of killed processes, which are found by their names, when they are old enough. */
import { statSync } from 'node:fs';
import { isOurKeep } from '../../git/objects/keep-file.ts';
import { sessionsWithPending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { listFolder, removeFile } from '../../platform/files.ts';

/** Age at which a temporary file is abandoned, in milliseconds: one day. */
const ABANDONED = 86_400_000;

/** Returns whether a file is a temporary one of ctx or Git, by its name. */
export const isTemporary = (name: string): boolean => /(\.tmp$|^tmp_(obj|pack|idx|rev)_|^LOCK\..*\.break$)/.test(name);

/** Returns the paths of the temporary files that were last written more than a day ago. */
function abandonedFiles(repository: Repository): string[] {
  const { layout } = repository;
  const folders = [
    ...[layout.root, layout.oplog, layout.segments, layout.pack, layout.choices],
    ...[layout.cache, below(layout.cache, 'conversations')],
    ...fanOut(layout.objects),
    ...pendingFolders(repository),
  ];
  const paths = folders.flatMap((folder) =>
    listFolder(folder)
      .map((name) => ({ name, path: below(folder, name) }))
      .filter(({ name, path }) => isTemporary(name) || isOurKeep(path))
      .map(({ path }) => path),
  );
  return paths.filter((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && Date.now() - stat.mtimeMs > ABANDONED;
  });
}

/** Removes the abandoned files; returns their number. Only under LOCK. */
export const removeAbandoned = (repository: Repository): number =>
  abandonedFiles(repository).filter((path) => removeFile(path)).length;

const fanOut = (objects: string): string[] =>
  listFolder(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .map((name) => below(objects, name));

const pendingFolders = (repository: Repository): string[] =>
  sessionsWithPending(repository).flatMap((id) => {
    const folder = below(repository.layout.pending, id);
    return [folder, below(folder, 'objects')];
  });
