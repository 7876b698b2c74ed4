/** Checks for leftovers of killed processes: locks, temporary files, and unfinished work. */
import { basename } from 'node:path';
import { durationInWords, plural, quoted } from '../../core/text.ts';
import { filesBelow } from '../../git/entries.ts';
import type { Layout } from '../../git/layout.ts';
import { isOurKeep } from '../../git/objects/keep-file.ts';
import { runningGc } from '../../git/running-gc.ts';
import { begunPlan, isForgetting } from '../../history/forget/execute-plan.ts';
import { readHookErrorList } from '../../history/store/hook-errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists } from '../../platform/files.ts';
import { damage, type Finding, guarded, REPAIR } from '../finding.ts';
import { isTemporary } from '../gc/temporaries.ts';
import { staleLocks } from '../stale-locks.ts';
import { strangeLocks } from '../strange-locks.ts';

/** Reports locks of a killed Git, which Git never removes, and entries in the place of ctx's locks. */
export function* verifyLocks(layout: Layout): Generator<Finding> {
  for (const { name, age, refused } of staleLocks(layout)) {
    const what = refused === null ? `nothing can move ${name.replace(/\.lock$/, '')}` : `${refused} is refused`;
    const message = `it is a lock of Git's, ${durationInWords(age)} old: ${what} while it is there`;
    const hint = 'ctx fsck --break-lock, if no Git is running on the store';
    yield { severity: refused === null ? 'damage' : 'leftover', kind: 'lock', where: name, message, hint };
  }
  for (const { name, what } of strangeLocks(layout)) {
    const message = `it is ${what}, and no lock of ctx's: every command that needs it is refused`;
    yield damage('lock', name, message, 'ctx fsck --break-lock sets it aside in lost/.');
  }
}

/** Reports unreadable lines in the list of hook errors; a killed process may leave half a line. */
export function* verifyHookErrors(repository: Repository): Generator<Finding> {
  const { unreadable } = readHookErrorList(repository);
  if (unreadable === 0) return;
  const message = `${plural(unreadable, 'line')} of it cannot be read: which hooks failed is not all known`;
  const hint = `Remove it once you have looked at it: rm ${quoted(repository.layout.hookErrors)}`;
  yield { severity: 'leftover', kind: 'hook', where: 'hook-errors.jsonl', message, hint };
}

/** Reports files that killed processes may leave, which are harmless. */
export function* verifyLeftovers(repository: Repository): Generator<Finding> {
  const { layout } = repository;
  const nameOf = (path: string): string => path.split('/').at(-1) as string;
  const strange = new Set([...strangeLocks(layout)].map(({ name }) => name));
  const isLeft = (path: string): boolean =>
    (isTemporary(nameOf(path)) || isOurKeep(below(layout.root, path)) || path.startsWith('LOCK.')) &&
    !strange.has(path.replace(/\/.*/, ''));
  const left = [...filesBelow(layout)].filter(
    (path) => isLeft(path) && path !== nameOf(layout.packing) && path !== nameOf(layout.catalogLock),
  );
  if (left.length > 0) {
    const message = `${plural(left.length, 'temporary file')} of processes that were killed; nothing needs ${left.length === 1 ? 'it' : 'them'}`;
    const hint = `ctx gc and ${REPAIR} remove those that are more than a day old`;
    yield { severity: 'leftover', kind: 'temporary', where: left[0] as string, message, hint };
  }
  if (isForgetting(layout)) {
    yield* guarded('operation', 'forgetting/plan.json', () => {
      const begun = begunPlan(repository) !== null;
      const message = begun
        ? 'a forgetting was cut off; the next command that writes finishes it, and what it moves can be checked then'
        : 'a forgetting was cut off before it began; the next command that writes takes away what it staged';
      return [{ severity: 'leftover', kind: 'operation', where: 'forgetting', message, hint: REPAIR }];
    });
  }
  for (const lock of [layout.lock, layout.packing].filter(exists)) {
    if (strange.has(nameOf(lock))) continue;
    const message = 'a command holds it just now, or one was killed while it did; the next one says which';
    const hint = 'ctx fsck --break-lock, if no ctx is running';
    yield { severity: 'note', kind: 'lock', where: nameOf(lock), message, hint };
  }
  if (!strange.has(nameOf(layout.gcPid))) yield* verifyGitAtWork(layout);
}

/** Reports a running `git gc`, or an apparent one: the gc.pid of another machine may have been copied with the store. */
function* verifyGitAtWork(layout: Layout): Generator<Finding> {
  const who = runningGc(layout);
  if (who === null) return;
  const message = `a git gc is at work, or was killed: ${who}; what packs or forgets waits for it`;
  const hint = 'ctx fsck --break-lock, if no Git is running on the store';
  yield { severity: 'note', kind: 'lock', where: basename(layout.gcPid), message, hint };
}
