/** Whose a file in the folder of a store is, by its name: what a forgetting does with one that holds what goes depends on it. */
import { isPointer, isSessionId } from '../../git/layout.ts';
import { packOf } from '../../git/objects/pack-names.ts';

/**
 * `objects`: looked at object by object. `ctx`: read and written anew by what knows its format. `user`: left alone, and named.
 * `lock`: the same, since somebody may hold it. `rebuilt`: Git makes it anew where it needs it. `ref`: not without a look at what
 * it says. `nobody`: what nothing depends on.
 */
export type Whose = 'objects' | 'ctx' | 'user' | 'lock' | 'rebuilt' | 'ref' | 'nobody';

const LOOSE = /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/;
const PACK_FOLDER = 'objects/pack/';
/** Packs that Git, its `maintenance` or ctx has named. */
const NAMED_PACK = /^objects\/pack\/(pack|loose)-[0-9a-f]{40}\.\w+$/;
/** Packs that were set aside once all that they hold was written anew are deflated: nobody sees what is in them. */
const REBUILT =
  /^(objects\/info\/(packs|commit-graph|commit-graphs\/.*)|objects\/pack\/multi-pack-index.*|info\/refs|lost\/objects-(pack-pack|info-commit)-.*)$/;
/** Without .gitignore the repository around the store would take the key. */
const USERS = /^(config|settings\.json|description|\.gitignore|info\/exclude|hooks\/.*)$/;
const CTX =
  /^(HEAD|STAGE|key|key\.forgotten|forgotten\.json|packed-refs|LOCK|LOCK\.packing|oplog\/[^/]*\.json|oplog\/segments\/[^/]*\.jsonl|forgetting\/.*)$/;
/** Locks of Git's, and what else it creates exclusively; beside LOCK what takes, breaks and marks locks of ctx's. */
const LOCKS = /^(LOCK\.[^/]*|gc\.pid|packed-refs\.new|([^/]+|(refs|logs|objects)\/.*)\.lock)$/;
const TEMPORARY = /\.tmp$/;

export function whose(name: string): Whose {
  if (REBUILT.test(name)) return 'rebuilt';
  if (LOOSE.test(name) || isOfPack(name)) return 'objects';
  if (CTX.test(name) || isWaiting(name) || isReflog(name)) return 'ctx';
  if (LOCKS.test(name)) return 'lock';
  if (USERS.test(name)) return 'user';
  if (isPointer(name)) return 'ctx';
  return name.startsWith('refs/') ? 'ref' : 'nobody';
}

/** Whether a file belongs to a pack. */
const isOfPack = (name: string): boolean =>
  name.startsWith(PACK_FOLDER) && packOf(name.slice(PACK_FOLDER.length)) !== undefined;

/** Whether a file is a pack that Git or ctx has begun to write and not named yet. */
export const isBegunPack = (name: string): boolean => /^objects\/pack\/(tmp_pack_[^/]*|\.tmp-[^/]*\.pack)$/.test(name);

/** Whether a file is a reflog, by its name: nothing else below `logs/` is read as one. */
export const isReflog = (name: string): boolean =>
  /^logs\/([A-Z_]+|refs\/.+)$/.test(name) && !LOCKS.test(name) && !TEMPORARY.test(name);

/** Whether a file is a record that waits, or an object of one. */
function isWaiting(name: string): boolean {
  const [, session = ''] = /^pending\/([^/]+)\/([^/]+\.json|objects\/[0-9a-f]{40})$/.exec(name) ?? [];
  return isSessionId(session);
}

/** Whether a file that is left alone is a lock, which somebody may hold. */
export const isLock = (name: string): boolean => whose(name) === 'lock';

/** Whether a file of this name is never removed as one that holds what goes; of a ref only what it says can tell. */
export function isLeftAlone(name: string): boolean {
  if (/^logs\//.test(name)) return LOCKS.test(name) || name === 'logs/HEAD' || isPointer(name.slice('logs/'.length));
  return ['objects', 'ctx', 'lock', 'user'].includes(whose(name));
}

/** Whether what stands in a file below `refs/` is a value, as Git reads it: then it is a ref, whatever comes behind. */
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
    'lost',
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
  /^([A-Z_]+|\.gitignore|config|settings\.json|key|key\.forgotten|forgotten\.json|packed-refs|description|hook-errors\.jsonl|index|LOCK\.packing|info\/exclude|oplog\/(begun|newest)\.json)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.jsonl?|\/|$)/;

/** What of a name neither ctx nor Git has given: that may tell what goes; empty where all of it is theirs. */
export function strangePart(name: string): string {
  if (FILES.test(name) || LOOSE.test(name) || NAMED_PACK.test(name)) return '';
  const [folder = ''] = IN_FOLDER.exec(name) ?? [];
  const rest = name.slice(folder.length);
  if (!/^(pending|choices|oplog(\/segments)?|(logs\/)?refs\/(sessions|archive))\//.test(folder)) return rest;
  const inside = rest.replace(UUID, '');
  return folder === 'pending/' ? inside.replace(/^objects(\/[0-9a-f]{40})?$/, '').replace(UUID, '') : inside;
}
