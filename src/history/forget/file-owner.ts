/** Classifies a file in the folder of a store by its name, which decides what a forgetting does with it. */

import { packOf } from '../../git/objects/pack-names.ts';
import { isPointer, isSessionId } from '../names/layout.ts';

/**
 * `objects`: examined object by object. `ctx`: rewritten by the code for its format. `user`: kept, and reported. `lock`: the
 * same, since a process may hold it. `rebuilt`: Git rebuilds it when needed. `ref`: depends on its content. `nobody`:
 * nothing depends on it.
 */
export type FileOwner = 'objects' | 'ctx' | 'user' | 'lock' | 'rebuilt' | 'ref' | 'nobody';

const LOOSE = /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/;
const PACK_FOLDER = 'objects/pack/';
/** Packs that were named by Git, its `maintenance` or ctx. */
const NAMED_PACK = /^objects\/pack\/(pack|loose)-[0-9a-f]{40}\.\w+$/;
/** Packs in `lost/`, whose objects were all rewritten, and snapshots of the work tree are compressed and cannot be searched. */
const REBUILT =
  /^(objects\/info\/(packs|commit-graph|commit-graphs\/.*)|objects\/pack\/multi-pack-index.*|info\/refs|snapshots\/.*|lost\/objects-(pack-pack|info-commit)-.*)$/;
/** Without .gitignore the repository around the store would commit the key. */
const USERS = /^(config|settings\.json|permissions\.json|description|\.gitignore|info\/exclude|hooks\/.*)$/;
const CTX =
  /^(HEAD|STAGE|key|key\.forgotten|forgotten\.json|packed-refs|LOCK|LOCK\.packing|LOCK\.catalog|oplog\/[^/]*\.json|oplog\/segments\/[^/]*\.jsonl|forgetting\/.*)$/;
/** Locks of Git and its exclusively created files; lock files of ctx other than LOCK, with their markers. */
const LOCKS = /^(LOCK\.[^/]*|gc\.pid|packed-refs\.new|([^/]+|(refs|logs|objects)\/.*)\.lock)$/;
const TEMPORARY = /\.tmp$/;

export function ownerOf(name: string): FileOwner {
  if (REBUILT.test(name)) return 'rebuilt';
  if (LOOSE.test(name) || isOfPack(name)) return 'objects';
  if (CTX.test(name) || isWaiting(name) || isReflog(name)) return 'ctx';
  if (LOCKS.test(name)) return 'lock';
  if (USERS.test(name)) return 'user';
  if (isPointer(name)) return 'ctx';
  return name.startsWith('refs/') ? 'ref' : 'nobody';
}

/** Returns whether a file belongs to a pack. */
const isOfPack = (name: string): boolean =>
  name.startsWith(PACK_FOLDER) && packOf(name.slice(PACK_FOLDER.length)) !== undefined;

/** Returns whether a file is a pack that Git or ctx is writing and has not named yet. */
export const isBegunPack = (name: string): boolean => /^objects\/pack\/(tmp_pack_[^/]*|\.tmp-[^/]*\.pack)$/.test(name);

/** Returns whether a file is a reflog, by its name: nothing else below `logs/` is read as one. */
export const isReflog = (name: string): boolean =>
  /^logs\/([A-Z_]+|refs\/.+)$/.test(name) && !LOCKS.test(name) && !TEMPORARY.test(name);

/** Returns whether a file is a pending record, or an object of one. */
function isWaiting(name: string): boolean {
  const [, session = ''] = /^pending\/([^/]+)\/([^/]+\.json|objects\/[0-9a-f]{40})$/.exec(name) ?? [];
  return isSessionId(session);
}

/** Returns whether a kept file is a lock, which a process may hold. */
export const isLock = (name: string): boolean => ownerOf(name) === 'lock';

/** Returns whether a file of this name is never removed for its content; for a ref only the content can decide. */
export function isLeftAlone(name: string): boolean {
  if (/^logs\//.test(name)) return LOCKS.test(name) || name === 'logs/HEAD' || isPointer(name.slice('logs/'.length));
  return ['objects', 'ctx', 'lock', 'user'].includes(ownerOf(name));
}

/** Returns whether a file below `refs/` has a value, as Git reads it: then it is a ref, whatever follows. */
export const isValue = (content: Buffer | undefined): boolean =>
  /^([0-9a-fA-F]{40}([\s\0]|$)|ref:)/.test(content?.toString('latin1', 0, 64) ?? '');

const FOLDERS = [
  ...['objects/info/commit-graphs', 'objects/info', 'objects/pack', 'objects/[0-9a-f]{2}', 'objects'],
  ...['(logs/)?refs/(heads|tags|notes|remotes|sessions|archive)', '(logs/)?refs', 'logs'],
  ...[
    'oplog/segments',
    'oplog',
    'pending',
    'choices',
    'runs',
    'lost',
    'cache/catalog',
    'cache/conversations',
    'cache/conversations\\.index',
    'cache/sources',
    'cache/objects(/[0-9]{1,9})?',
    'cache',
    'hooks',
    'info',
  ],
  'forgetting',
];
const IN_FOLDER = new RegExp(`^(${FOLDERS.join('|')})(/|$)`);
const FILES =
  /^([A-Z_]+|\.gitignore|config|settings\.json|permissions\.json|key|key\.forgotten|forgotten\.json|packed-refs|description|hook-errors\.jsonl|index|LOCK\.packing|LOCK\.catalog|info\/exclude|oplog\/(begun|newest)\.json)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.jsonl?|\/|$)/;

/** Returns the part of a name that neither ctx nor Git has chosen, which may contain forgotten content; empty if there is none. */
export function strangePart(name: string): string {
  if (FILES.test(name) || LOOSE.test(name) || NAMED_PACK.test(name)) return '';
  const [folder = ''] = IN_FOLDER.exec(name) ?? [];
  const rest = name.slice(folder.length);
  if (!/^(pending|choices|runs|oplog(\/segments)?|(logs\/)?refs\/(sessions|archive))\//.test(folder)) return rest;
  const inside = rest.replace(UUID, '');
  return folder === 'pending/' ? inside.replace(/^objects(\/[0-9a-f]{40})?$/, '').replace(UUID, '') : inside;
}
