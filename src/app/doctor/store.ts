/** Examines the store: whether it can be read, who owns its files, and whether Git is installed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { oneLine, plural, quoted } from '../../core/text.ts';
import { entriesOf } from '../../git/guard.ts';
import { MAIN } from '../../git/layout.ts';
import { guarded } from '../../health/finding.ts';
import { strangeLocks } from '../../health/strange-locks.ts';
import { verifyConfig } from '../../health/verify/config.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { misplaced } from '../../history/store/skeleton.ts';
import { errorCode, exists, ioError } from '../../platform/files.ts';
import { checkNoneActive } from '../session/active.ts';
import { linkedWorktree, WORKTREE_WARNING, worktreeAdvice } from '../setup/linked-worktree.ts';
import { type DoctorFinding, note, ok, problem } from './finding.ts';

const CHECK = 'ctx fsck shows more, ctx fsck --repair repairs what it can';

/** Number of findings that are listed: `ctx fsck` lists the rest. */
const LISTED = 100;

/** Examines quickly the store's own files, every pointer, and its session. */
export function* lookAtStore(repository: Repository): Generator<DoctorFinding> {
  const { refs, objects, layout } = repository;
  let broken = 0;
  const tried = function* (where: string, read: () => void): Generator<DoctorFinding> {
    try {
      read();
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      broken += 1;
      yield problem('store', `${where}: ${error.message}`, CHECK);
    }
  };
  yield* tried(MAIN, () => {
    const main = refs.read(MAIN);
    if (main === null) throw new CtxError('damaged', 'the main line is missing.');
    readCommit(objects, main);
  });
  yield* tried('STAGE', () => {
    if (refs.stage() === null) checkNoneActive(repository);
  });
  for (const finding of lookAtFiles(repository)) {
    broken += 1;
    yield finding;
  }
  for (const name of misplaced(layout)) {
    broken += 1;
    yield problem('store', `${name} must be a folder, and is none`, CHECK);
  }
  for (const { name, what } of strangeLocks(layout)) {
    broken += 1;
    yield problem('store', `${name} is ${what}, and no lock of ctx's`, 'ctx fsck --break-lock');
  }
  const names = [SESSIONS, ARCHIVE].map((prefix) => refs.names(prefix));
  for (const ref of names.flat()) {
    if (broken >= LISTED) {
      yield problem('store', 'Perhaps more pointers are damaged: no others were looked at.', CHECK);
      break;
    }
    yield* tried(ref, () => {
      const head = refs.read(ref);
      if (head !== null) readChain(objects, head, ref);
    });
  }
  if (exists(layout.begun)) {
    yield note(
      'store',
      'An operation is at work, or was cut off; the next command that writes finishes it.',
      'ctx recover',
    );
  }
  if (!mayWrite(layout.root)) {
    broken += 1;
    yield problem(
      'store',
      `${layout.root} cannot be written to: nothing new is kept.`,
      `chmod -R u+rwX ${quoted(layout.root)}`,
    );
  }
  const worktree = linkedWorktree(layout.root);
  if (worktree) yield note('store', WORKTREE_WARNING, worktreeAdvice(worktree).join('; '));
  const [open = [], archived = []] = names;
  const counts = `${plural(open.length, 'open session')}, ${archived.length} archived`;
  if (broken === 0) yield ok('store', `${layout.root}: ${counts}; ctx fsck checks every object`);
}

/**
 * Examines the files that no pointer or object leads to, as `ctx fsck` does: Git's config, the key, and the list of
 * what was forgotten.
 */
function* lookAtFiles(repository: Repository): Generator<DoctorFinding> {
  const findings = [...guarded('config', 'config', () => verifyConfig(repository))];
  const damages = findings.filter(({ severity }) => severity === 'damage');
  for (const { where, message, hint } of damages.slice(0, LISTED)) yield problem('store', `${where}: ${message}`, hint);
  const more = damages.length - LISTED;
  if (more > 0) yield problem('store', `And ${plural(more, 'more thing')} of the kind.`, CHECK);
}

/** Returns whether this user may write in the folders that every command writes in. */
function mayWrite(root: string): boolean {
  try {
    for (const folder of ['.', 'objects', 'refs', 'pending']) accessSync(join(root, folder), constants.W_OK);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

/** Checks that every file and folder of the store is the user's alone. */
export function* lookAtPermissions({ layout }: Repository): Generator<DoctorFinding> {
  const own = process.getuid?.();
  // Windows has no such bits.
  if (own === undefined) return;
  const foreign: string[] = [];
  const open: string[] = [];
  for (const path of everythingBelow(layout.root)) {
    const stat = statOf(path);
    if (!stat) continue;
    if (stat.uid !== own) foreign.push(path);
    if (!stat.isSymbolicLink() && (stat.mode & 0o077) !== 0) open.push(path);
  }
  const told = (paths: string[]): string =>
    `${plural(paths.length, 'file or folder', 'files and folders')}, such as ${paths[0]}`;
  const root = quoted(layout.root);
  if (open.length > 0) {
    // Nobody can reach a file in a folder that is closed to them.
    const isReached = open[0] === layout.root;
    const who = isReached ? 'Others may look into' : 'Only the folder of the store keeps others from';
    yield (isReached ? problem : note)('permissions', `${who} ${told(open)}.`, `chmod -R go= ${root}`);
  }
  if (foreign.length > 0)
    yield problem('permissions', `Somebody else owns ${told(foreign)}.`, `sudo chown -R ${own} ${root}`);
  if (open.length + foreign.length === 0) yield ok('permissions', 'The store is yours alone.');
}

function* everythingBelow(path: string): Generator<string> {
  yield path;
  for (const entry of entriesOf(path)) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* everythingBelow(inner);
    else yield inner;
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', path, error);
  }
}

/** Checks Git, which is not needed to remember, only for `ctx git` and to pack faster. */
export function* lookAtGit(environment: Readonly<Record<string, string | undefined>>): Generator<DoctorFinding> {
  const run = spawnSync('git', ['--version'], { encoding: 'utf8', env: environment as NodeJS.ProcessEnv });
  if (run.status === 0) yield ok('git', oneLine(run.stdout));
  else {
    const why = errorCode(run.error) === 'ENOENT' ? 'Git is not installed here' : 'Git does not run here';
    yield note('git', `${why}: ctx remembers without it, and cannot do ctx git.`, 'Install Git, or put it on PATH.');
  }
}
