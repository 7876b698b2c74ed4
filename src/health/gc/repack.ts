/** Packs a store with Git so that the objects of one session are adjacent. Removes no object. */
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
 * Number of objects with which Git compares a new one, and the memory limit. Similar objects of a session are further apart
 * than Git's default of 10: with 50 a store of transcripts is a sixth smaller (measured).
 */
const SEARCH = ['--window=50', '--window-memory=256m'];

/** Longest list of objects that is sorted, in bytes: some 600,000 objects. Git packs longer ones in its own order. */
const LONGEST = 67_108_864;

/**
 * Packs with Git: reachable objects into one pack; others stay as they are. Only while the packing lock is held.
 * @throws {CtxError} io, unsupported_store
 */
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

/** Names of Git's temporary files; those of ctx are longer. */
const BEGUN = /^tmp_[a-z]+_[0-9A-Za-z]{6}$/;

/**
 * Removes the temporary files of a failed Git: on a full disk they took all the space. Another Git, such as a fetch, may
 * have temporary files too: it has one of them open, since its pack is closed while it writes the index.
 */
function removeBegun(pack: string, before: ReadonlySet<string>): void {
  const begun = listFolder(pack).filter((name) => BEGUN.test(name) && !before.has(name));
  const paths = begun.map((name) => below(pack, name));
  if (!mayBeOpen(paths)) for (const path of paths) discard(path);
}

/** Restricts `git gc` to packing: history, pointers, unreachable objects and foreign files stay as they are. */
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
 * Lets Git merge the packs and remove duplicates. Not with `git repack`: of two concurrent ones, the first leaves
 * unreachable objects loose, the second removes them since they are packed as well, and then the first removes the pack.
 * `git gc` takes gc.pid over from us, and keeps it if ctx is killed.
 */
function packAlone(repository: Repository): void {
  awaitPackIndex(repository);
  dropPackCaches(repository);
  runQuietly(repository, ['gc', '--quiet', '--no-prune', '--force'], { settings: ONLY_PACK });
  // A concurrent Git may have written one about packs that are gone now.
  awaitPackIndex(repository);
  dropMultiPackIndex(repository);
}

/** Waits for a Git that writes an index of several packs. @throws {CtxError} busy */
function awaitPackIndex({ layout, lockWait }: Repository): void {
  waitForRefLock({ path: below(layout.root, MULTI_PACK_INDEX_LOCK), root: layout.root, wait: lockWait });
}

/**
 * Packs all reachable objects again, so that Git compares the objects of one session first. By default it compares files
 * with the same name, which every step of every session has: the more sessions, the fewer similarities it finds (a fifth of
 * the store, measured with 50 sessions).
 */
async function packBySession(repository: Repository): Promise<void> {
  const format = `--format=${SESSION}%(trailers:key=Ctx-Session,valueonly,unfold,separator=%x2C)`;
  // Paths are not needed, and those of a stranger's nested folders would fill the memory.
  const order = ['--no-object-names', '--topo-order', '--in-commit-order', format];
  const list = runQuietly(repository, ['rev-list', '--objects', '--all', '--reflog', ...order], { most: LONGEST });
  if (list === null) return;
  const base = below(repository.layout.pack, 'pack');
  const words = ['pack-objects', '-q', '--non-empty', '--honor-pack-keep', '--delta-base-offset', ...SEARCH];
  const input = namedBySession(list);
  const hasty = objectsInFastPacks(repository.layout);
  // Git does not compare objects again that are in one pack already.
  if (hasty.size > 0) {
    const lines = input.split('\n').filter((line) => hasty.has(line.slice(0, 40)));
    await packObjects(repository, [...words, '--no-reuse-object', base], lines.map((line) => `${line}\n`).join(''));
  }
  await packObjects(repository, [...words, base], input);
}

/** Lets Git pack in its own name: it continues if ctx is killed, and forgotten objects would come back with its pack. */
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

/** Prefix of the line with a commit's session, after the line of the commit itself. */
const SESSION = 'session ';

/**
 * Converts a list of commits and their new objects to the input of `git pack-objects`: a line for each object, with its
 * session instead of a file name, since objects with similar names are compared first.
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

/**
 * Returns the ids of the objects in packs that were written fast, without deltas and with little compression, as their first
 * object shows.
 * @throws {CtxError} damaged, io
 */
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
const fastPacks = (layout: Layout): string[] =>
  packPaths(layout).filter((path) => isFastPack(path) && exists(indexOf(path)));

function isFastPack(path: string): boolean {
  const beginning = readBeginning(path, HEADER_LENGTH + HEAD_LENGTH + 2);
  let at = HEADER_LENGTH;
  while ((beginning[at] ?? 0) & 0x80) at += 1;
  return at + 3 <= beginning.length && beginning.readUInt16BE(at + 1) === FASTEST;
}
