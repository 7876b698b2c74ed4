/** Decides whether ctx knows of a file that is not there: only then is its write the news that it was deleted. */
import { treePath } from '../../core/file-path.ts';
import { RECORD_VERSION } from '../../core/records/record.ts';
import { MAIN } from '../../git/layout.ts';
import { lookUp } from '../../git/objects/tree-editor.ts';
import { newPathCount, readChain, readCommit } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { readPending } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Returns whether a session, its waiting records or the main line have a path. @param path in the form of records */
export function isKnownPath(repository: Repository, session: string, path: string): boolean {
  const { refs, objects } = repository;
  if (readPending(repository, session).some(({ record }) => record['path'] === path)) return true;
  const head = refs.read(sessionRef(session)) ?? refs.read(archiveRef(session));
  const record = { version: RECORD_VERSION, id: '', kind: 'delete', at: 0, path };
  if (head !== null && newPathCount(objects, readChain(objects, head), [record]) === 0) return true;
  const main = refs.read(MAIN);
  const place = treePath(path);
  return (
    main !== null && place !== null && lookUp(objects, readCommit(objects, main).tree, ['files', ...place]) !== null
  );
}
