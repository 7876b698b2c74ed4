/** `ctx fsck`: checks what Git can check and what it cannot, and on request mends what cannot lose anything. */
import { breakLock } from '../platform/lock.ts';
import { repairStore } from '../store/repair.ts';
import type { Repository } from '../store/repository.ts';
import { settleStore } from '../store/settle.ts';
import { transact } from '../store/transaction.ts';
import { type Finding, verifyStore } from '../store/verify/index.ts';

export interface FsckOptions {
  /** Read every object, not only what is reachable. */
  full?: boolean | undefined;
  repair?: boolean | undefined;
  /** Remove LOCK first: only where no ctx is running. */
  breakLock?: boolean | undefined;
}

export interface FsckResult {
  /** What is wrong now, after any repair. */
  findings: Finding[];
  /** What was done, a sentence each. */
  repaired: string[];
  /** Whether nothing is damaged. */
  healthy: boolean;
}

/** Checks the store. @throws {CtxError} busy, where --repair cannot have the lock */
export function checkStore(repository: Repository, options: FsckOptions = {}): FsckResult {
  const repaired: string[] = [];
  if (options.breakLock) {
    settleStore(repository.layout, repository.durability);
    if (breakLock(repository.layout.lock)) repaired.push('Removed LOCK.');
  }
  if (options.repair) repaired.push(...repair(repository));
  const findings = [...verifyStore(repository, options.full === true)];
  return { findings, repaired, healthy: findings.every((finding) => finding.severity !== 'damage') };
}

/** Mends under one lock, then lets a plain transaction finish what was cut off: it may need what was mended. */
function repair(repository: Repository): string[] {
  const done: string[] = [];
  const change = { command: 'fsck --repair', message: 'repair' };
  transact(repository, { ...change, untidied: true }, () => done.push(...repairStore(repository)));
  transact(repository, change, (transaction) => done.push(...transaction.finished));
  return done;
}
