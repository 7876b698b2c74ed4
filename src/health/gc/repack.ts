/** Packing a store with Git: what belongs to one session is packed side by side. Nothing is thrown away here. */
import { CtxError } from '../../core/errors.ts';
import { passGcPid } from '../../git/gc-pid.ts';
import { runOnInput, runQuietly } from '../../git/git.ts';
import type { Layout } from '../../git/layout.ts';
import { dropMultiPackIndex, dropPackCaches, MULTI_PACK_INDEX_LOCK } from '../../git/objects/git-caches.ts';
import { hasLongPath } from '../../git/objects/long-paths.ts';
import { indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { openPackIndex } from '../../git/objects/pack-index.ts';
import { waitForRefLock } from '../../git/refs/lock.ts';
import { runningGc } from '../../git/running-gc.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { discard, exists, listFolder } from '../../platform/files.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { mayBeOpen } from '../../platform/processes.ts';

/**
 * How many objects Git holds a new one against, and in how much memory at most. What tells of the same files in a session lies
 * further apart than Git's own 10: with 50 a store of transcripts is a sixth smaller (measured).
 */
const SEARCH = ['--window=50', '--window-memory=256m'];

/** Longest list of objects that is put in order, in bytes: of some 600,000. Git packs longer ones in an order of its own. */
const LONGEST = 67_108_864;

/** Packs with Git: what is reachable into one pack; what is not stays as it is. Only with what keeps others from packing in hand. @throws {CtxError} io, unsupported_store */
export async function repackWithGit(repository: Repository): Promise<void> {
  if (await hasLongPath(repository)) throw new CtxError('io', 'there are paths so long that Git would fill the memory');
  const { pack } = repository.layout;
  const before = new Set(listFolder(pack));
  try {
    await packBySession(repository);
    packAlone(repository);
  } catch (error) {
    if (runningGc(repository.layout) === null) removeBegun(pack, before);
    throw error;
  }
}

/** What Git calls a file that it has begun to write; ctx gives longer names. */
const BEGUN = /^tmp_[a-z]+_[0-9A-Za-z]{6}$/;

/**
 * Removes what a Git that has failed has begun to write: on a full disk that is all the room there was. Another one may have
 * begun to write beside it, such as a fetch: it has something open then, for its pack is closed while it writes the index.
 */
function removeBegun(pack: string, before: ReadonlySet<string>): void {
  const begun = listFolder(pack).filter((name) => BEGUN.test(name) && !before.has(name));
  const paths = begun.map((name) => below(pack, name));
  if (!mayBeOpen(paths)) for (const path of paths) discard(path);
}

/** Of what `git gc` does, it is to pack alone: history, pointers, what nothing reaches and what is not ctx's are left as they are. */
const ONLY_PACK = [
  ...['gc.packRefs=false', 'gc.reflogExpire=never', 'gc.reflogExpireUnreachable=never', 'gc.cruftPacks=false'],
  ...[
    'gc.writeCommitGraph=false',
    'gc.worktreePruneExpire=never',
    'gc.rerereResolved=never',
    'gc.rerereUnresolved=never',
  ],
];

/**
 * Lets Git take over what it finds packed, and let go of what is in more than one pack. Not with its `repack`: of two that do
 * this at once, one leaves what nothing reaches as it lies loose, the other takes that away since it is packed as well, and then
 * the first takes the pack away. Its `gc` takes gc.pid over from us, and keeps it also where ctx is killed.
 */
function packAlone(repository: Repository): void {
  awaitPackIndex(repository);
  dropPackCaches(repository);
  runQuietly(repository, ['gc', '--quiet', '--no-prune', '--force'], { settings: ONLY_PACK });
  // A Git beside us may have made one meanwhile of packs that are gone now.
  awaitPackIndex(repository);
  dropMultiPackIndex(repository);
}

/** Waits for a Git that writes an index of several packs. @throws {CtxError} busy */
function awaitPackIndex({ layout, lockWait }: Repository): void {
  waitForRefLock({ path: below(layout.root, MULTI_PACK_INDEX_LOCK), root: layout.root, wait: lockWait });
}

/**
 * Packs all that is reachable once more, with Git looking for likenesses among the objects of a session first. By itself it looks
 * among files of one name, which has every step of every session: the more sessions, the fewer it finds (a fifth of the store,
 * measured with 50 of them).
 */
async function packBySession(repository: Repository): Promise<void> {
  const format = `--format=${SESSION}%(trailers:key=Ctx-Session,valueonly,unfold,separator=%x2C)`;
  // Paths are not needed, and those of a stranger's folders in folders fill any memory.
  const order = ['--no-object-names', '--topo-order', '--in-commit-order', format];
  const list = runQuietly(repository, ['rev-list', '--objects', '--all', '--reflog', ...order], { most: LONGEST });
  if (list === null) return;
  const base = below(repository.layout.pack, 'pack');
  const words = ['pack-objects', '-q', '--non-empty', '--honor-pack-keep', '--delta-base-offset', ...SEARCH];
  const input = namedBySession(list);
  const hasty = objectsInFastPacks(repository.layout);
  // Git holds objects that lie side by side in a pack against each other no more: it takes that for done.
  if (hasty.size > 0) {
    const lines = input.split('\n').filter((line) => hasty.has(line.slice(0, 40)));
    await packObjects(repository, [...words, '--no-reuse-object', base], lines.map((line) => `${line}\n`).join(''));
  }
  await packObjects(repository, [...words, base], input);
}

/** Lets Git pack in its own name: it goes on where ctx is killed, and what is forgotten meanwhile would be back with its pack. */
async function packObjects(repository: Repository, words: readonly string[], input: string): Promise<void> {
  let pid = process.pid;
  const begun = (its: number): void => {
    passGcPid(repository, pid, its);
    pid = its;
  };
  try {
    await runOnInput(repository, words, input, begun);
  } finally {
    if (pid !== process.pid) passGcPid(repository, pid, process.pid);
  }
}

/** What begins the line that tells a commit's session, behind that of the commit itself. */
const SESSION = 'session ';

/**
 * From a list of commits and of the objects that each of them has brought to one for `git pack-objects`: a line for each object,
 * with its session in the place of a file name, since objects of like names are held against each other first.
 */
export function namedBySession(list: string): string {
  let session = '';
  const lines: string[] = [];
  for (const line of list.split('\n')) {
    if (line.startsWith(SESSION)) session = line.slice(SESSION.length);
    else if (line.startsWith('commit ')) lines.push(line.slice('commit '.length));
    else if (line !== '') lines.push(`${line.slice(0, 40)} ${session}`);
  }
  return `${lines.join('\n')}\n`;
}

const HEADER_LENGTH = 12;
/** Most bytes of the header of an entry. */
const HEAD_LENGTH = 10;
/** First bytes of a zlib stream at the lowest level (RFC 1950): no other program packs so. */
const FASTEST = 0x7801;

/** Returns the ids of the objects in such packs. @throws {CtxError} damaged, io */
export function objectsInFastPacks(layout: Layout): ReadonlySet<string> {
  const oids = new Set<string>();
  for (const path of fastPacks(layout)) {
    const index = openPackIndex(indexOf(path));
    try {
      for (const { oid } of index.entries()) oids.add(oid);
    } finally {
      index.close();
    }
  }
  return oids;
}

/** Returns the paths of such packs. */
export const fastPacks = (layout: Layout): string[] =>
  packPaths(layout).filter((path) => isFastPack(path) && exists(indexOf(path)));

function isFastPack(path: string): boolean {
  const beginning = readBeginning(path, HEADER_LENGTH + HEAD_LENGTH + 2);
  let at = HEADER_LENGTH;
  while ((beginning[at] ?? 0) & 0x80) at += 1;
  return at + 3 <= beginning.length && beginning.readUInt16BE(at + 1) === FASTEST;
}
