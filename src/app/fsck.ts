/** `ctx fsck`: checks what Git can check and what it cannot, and repairs on request what can be repaired without loss. */
import { basename } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { durationInWords, plural } from '../core/text.ts';
import { breakGcPid } from '../git/gc-pid.ts';
import { syncStore } from '../git/sync-store.ts';
import { verifyWithGit } from '../health/by-git.ts';
import { isOfTooLarge } from '../health/finding.ts';
import { repairForGit } from '../health/repair/git-refusals.ts';
import { repairPacks } from '../health/repair/packs.ts';
import { repairFoundations, repairStore, whyNot } from '../health/repair/repair.ts';
import { breakStaleLocks } from '../health/stale-locks.ts';
import { setStrangeLocksAside } from '../health/strange-locks.ts';
import { type Finding, verifyStore } from '../health/verify/index.ts';
import type { Repository } from '../history/store/repository.ts';
import { transact } from '../history/transaction.ts';
import { breakLock } from '../platform/lock.ts';
import { withSmallHeap } from '../platform/memory.ts';

export interface FsckOptions {
  /** Read every object, not only what is reachable; then run Git's check, if it is installed. */
  full?: boolean | undefined;
  repair?: boolean | undefined;
  /** Remove LOCK and LOCK.packing first, and locks of Git that are over an hour old: only if neither is running. */
  breakLock?: boolean | undefined;
}

export interface FsckResult {
  /** Damage that is there now, after any repair; of each severity the first thousand findings. */
  findings: Finding[];
  /** Number of more that there are of each severity. Absent if all are listed. */
  unlisted?: Record<Finding['severity'], number>;
  /** Repairs that were made, a sentence each, of the first thousand things; the last one counts the others. */
  repaired: string[];
  /** True if nothing is damaged. */
  healthy: boolean;
}

/** Number of findings that are listed: nobody reads more, and a store that a stranger has made may have millions. */
const LISTED = 1000;

/** Checks the store. @throws {CtxError} busy, if --repair cannot get the lock */
export function checkStore(repository: Repository, options: FsckOptions = {}): FsckResult {
  return checked(repository, options, false);
}

/** Checks the store. @param isLost whether objects that a pack held are missing now: they may be fetched */
function checked(repository: Repository, options: FsckOptions, isLost: boolean): FsckResult {
  const repaired = options.breakLock ? [...breakLocks(repository)] : [];
  if (options.repair) repaired.push(...repair(repository, isLost));
  return { ...listed(everything(repository, options.full === true)), repaired };
}

/** Yields ctx's findings; if there are none, and everything was read, those of Git. */
function* everything(repository: Repository, full: boolean): Generator<Finding> {
  let isWhole = true;
  for (const finding of verifyStore(repository, full)) {
    if (finding.severity === 'damage' || isOfTooLarge(finding)) isWhole = false;
    yield finding;
  }
  if (full && isWhole) yield* verifyWithGit(repository);
}

const REPAIR = { command: 'fsck --repair', message: 'repair' };

/** Lists the first findings of each severity, and counts the others. */
function listed(all: Iterable<Finding>): Omit<FsckResult, 'repaired'> {
  const findings: Finding[] = [];
  const counts: Record<Finding['severity'], number> = { damage: 0, leftover: 0, note: 0 };
  for (const finding of all) {
    counts[finding.severity] += 1;
    if (counts[finding.severity] <= LISTED) findings.push(finding);
  }
  const healthy = counts.damage === 0;
  const more = (count: number): number => Math.max(0, count - LISTED);
  const unlisted = { damage: more(counts.damage), leftover: more(counts.leftover), note: more(counts.note) };
  const isAll = unlisted.damage + unlisted.leftover + unlisted.note === 0;
  return isAll ? { findings, healthy } : { findings, unlisted, healthy };
}

/** The first things that were done, a sentence each; the others are counted. */
class Deeds {
  readonly #told: string[] = [];
  #more = 0;

  add(sentences: Iterable<string>): void {
    for (const sentence of sentences)
      if (this.#told.length < LISTED) this.#told.push(sentence);
      else this.#more += 1;
  }

  told(): string[] {
    return this.#more === 0 ? this.#told : [...this.#told, `And ${plural(this.#more, 'more thing')} of the kind.`];
  }
}

/**
 * Checks the store, after repairing packs and their indexes if requested.
 * @throws {CtxError} busy, if --repair cannot get the lock
 */
export const checkOrMend = (repository: Repository, options: FsckOptions = {}): Promise<FsckResult> =>
  withSmallHeap(() => checkedOrMended(repository, options));

async function checkedOrMended(repository: Repository, options: FsckOptions): Promise<FsckResult> {
  const done = options.breakLock ? [...breakLocks(repository)] : [];
  let isLost = false;
  if (options.repair && whyNot(repository) === null) {
    const { full = false } = options;
    done.push(...layFoundations(repository));
    const mended = await repairPacks(repository, full);
    done.push(...mended.report);
    isLost = mended.isLost;
  }
  const { repaired, ...result } = checked(repository, { ...options, breakLock: false }, isLost);
  done.push(...repaired);
  const refused = options.repair ? result.findings.filter(isGitsDamage) : [];
  const mended = refused.length > 0 ? await repairForGit(repository, refused) : [];
  return mended.length > 0
    ? { ...listed(everything(repository, true)), repaired: [...done, ...mended] }
    : { ...result, repaired: done };
}

const isGitsDamage = ({ kind, severity }: Finding): boolean => kind === 'git' && severity === 'damage';

/** Repairs what everything else needs: Git repairs packs, and needs HEAD and config, and `lost/`. */
function layFoundations(repository: Repository): string[] {
  const done = new Deeds();
  const first = (): void => done.add(repairFoundations(repository));
  transact(repository, { ...REPAIR, untidied: true, first }, ({ finished }) => done.add(finished));
  return done.told();
}

/** Removes what blocks writers; yields a sentence for each. @throws {CtxError} busy */
function* breakLocks(repository: Repository): Generator<string> {
  const { layout, lockWait, ids, durability } = repository;
  for (const name of setStrangeLocksAside(repository)) yield `Set ${name} aside in lost/: it was no lock of ctx's.`;
  const beforeBreak = (): void => syncStore(layout, durability);
  for (const path of [layout.lock, layout.packing])
    if (breakLock({ path, wait: lockWait, ids, durability, beforeBreak })) yield `Removed ${basename(path)}.`;
  // While a living Git is at work nothing else is broken either.
  if (breakGcPid(repository)) yield `Removed ${basename(layout.gcPid)}.`;
  for (const { name, age } of breakStaleLocks(repository))
    yield `Removed ${name}, which was ${durationInWords(age)} old.`;
}

/** Repairs under one lock, then lets a plain transaction finish what was interrupted: it may need what was repaired. */
function repair(repository: Repository, isLost: boolean): string[] {
  const why = whyNot(repository);
  if (why !== null) return [why];
  const done = new Deeds();
  const first = (): void => done.add(repairFoundations(repository));
  transact(repository, { ...REPAIR, untidied: true, first }, ({ finished }) => {
    done.add(finished);
    done.add(repairStore(repository, isLost));
  });
  try {
    transact(repository, REPAIR, (transaction) => done.add(transaction.finished));
  } catch (error) {
    // A store that is still damaged, or of a newer ctx, blocks it: the check reports it.
    if (!(error instanceof CtxError) || !['damaged', 'newer_version'].includes(error.code)) throw error;
  }
  return done.told();
}
