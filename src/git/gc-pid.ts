/** Git's `gc.pid`, which lets only one `git gc` run at a time: judged as Git judges it, and taken so that Git respects it. */
import { renameSync } from 'node:fs';
import { CtxError } from '../core/errors.ts';
import { monotonicTime, pause } from '../platform/clock.ts';
import {
  createFile,
  discard,
  errorCode,
  exists,
  ioError,
  isAbsent,
  LINES_LIMIT,
  readIfThere,
  removeFile,
  writeDurably,
} from '../platform/files.ts';
import { type Holder, stateOfHolder } from '../platform/holder.ts';
import { writtenAt } from '../platform/lock.ts';
import { THIS_MACHINE } from '../platform/machine.ts';
import { publishFile } from '../platform/publish.ts';
import type { Layout } from './layout.ts';
import { GC_PID, gcPidLine, read, readGcPid, runningGc } from './running-gc.ts';
import type { StoreFiles } from './store-files.ts';

/** Pause between two attempts, in milliseconds. */
const PAUSE = 20;

/** Returns whether gc.pid names this process. */
export const isGcPidOurs = ({ gcPid }: Layout): boolean => read(gcPid) === gcPidLine(process.pid);

/**
 * Takes gc.pid as Git does, but without its lock: a Git that holds the lock has looked before ours was there, or will see
 * it.
 * @param wait in milliseconds
 * @returns a function that releases it
 * @throws {CtxError} busy, while a `git gc` is running; io
 */
export function takeGcPid(repository: StoreFiles, wait: number): () => void {
  const { layout } = repository;
  const { gcPid, root } = layout;
  const lock = `${gcPid}.lock`;
  const mine = gcPidLine(process.pid);
  const isMine = (): boolean => isGcPidOurs(layout);
  const started = monotonicTime();
  const waited = (why: () => CtxError): void => {
    if (monotonicTime() - started > wait) throw why();
    pause(PAUSE);
  };
  for (;;) {
    const found = readGcPid(layout);
    if (found.what === 'held') waited(() => atWork(found.by, root));
    else if (found.what === 'stale') clear(repository, found.content);
    else if (create(gcPid, mine)) {
      try {
        while (exists(lock) && isMine()) waited(() => locked(root));
      } catch (error) {
        if (isMine()) discard(gcPid);
        throw error;
      }
      // Git removes gc.pid after it has worked in our name.
      if (isMine()) return () => void (isMine() && removeFile(gcPid));
    }
  }
}

/**
 * Writes another process into gc.pid: a Git child continues when ctx is killed. Call only while the packing lock is held.
 * @throws {CtxError} busy, if another process has taken it meanwhile
 */
export function passGcPid({ layout, ids }: StoreFiles, from: number, to: number): void {
  const { gcPid, packing, root } = layout;
  if (read(gcPid) !== gcPidLine(from)) throw atWork(runningGc(layout) ?? 'a process that has ended', root);
  writeDurably(gcPid, `${packing}.${ids()}.tmp`, gcPidLine(to), { fsync: false });
}

/** Creates gc.pid; returns false if it exists already. */
function create(gcPid: string, content: string | Buffer): boolean {
  try {
    createFile(gcPid, content, { fsync: false });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale gc.pid if it still has the judged content. A Git may write its own at any moment and respects no lock of
 * ours: so the file is renamed and compared, and put back if it is another one.
 */
function clear({ layout, ids }: StoreFiles, judged: Buffer): void {
  const { gcPid, packing } = layout;
  const aside = `${packing}.${ids()}.tmp`;
  try {
    renameSync(gcPid, aside);
  } catch (error) {
    if (isAbsent(error)) return;
    throw ioError('remove', gcPid, error);
  }
  const content = readIfThere(aside, LINES_LIMIT);
  if (content && !content.equals(judged)) publishFile(aside, gcPid, () => create(gcPid, content));
  removeFile(aside);
}

/**
 * Removes the gc.pid of a killed ctx: it holds only a process number, which another process may have by now, and would block
 * packing for half a day. Only for the process that breaks the LOCK.packing of the killed one and so knows that it is gone.
 */
export function clearGcPidOf(repository: StoreFiles, holder: Holder): void {
  const { gcPid } = repository.layout;
  const content = readIfThere(gcPid, LINES_LIMIT);
  if (content?.toString('utf8') !== gcPidLine(holder.pid, holder.host)) return;
  // In a rare case a Git has got the number and has written it there.
  if (stateOfHolder({ ...holder, boot: '', started: '' }, () => writtenAt(gcPid)) !== 'runs')
    clear(repository, content);
}

/**
 * Removes gc.pid because a person says that nobody packs, for example one of another machine, which cannot be judged from
 * here.
 * @returns whether there was one
 * @throws {CtxError} busy, if the process that it names runs here, or may: without `ps` a process cannot be distinguished
 * from another one with its number
 */
export function breakGcPid(repository: StoreFiles): boolean {
  const { layout } = repository;
  const found = readGcPid(layout);
  if (found.what === 'nothing') return false;
  if (found.what === 'held' && mayRunHere(layout, found.content)) {
    const hint = 'Wait for it, or end that process first.';
    throw new CtxError('busy', `gc.pid was not removed: a git gc, ${found.by}, is alive and holds it.`, { hint });
  }
  clear(repository, found.content);
  return true;
}

/**
 * Returns whether the process that a gc.pid names may run here; its start time shows whether it only has the number of
 * another one.
 */
function mayRunHere({ gcPid }: Layout, content: Buffer): boolean {
  const [, pid = '', host = ''] = GC_PID.exec(content.toString('utf8')) ?? [];
  const namespace = THIS_MACHINE.namespace();
  const holder = { pid: Number(pid), host, boot: '', namespace, started: '', nonce: '' };
  return host === THIS_MACHINE.host() && stateOfHolder(holder, () => writtenAt(gcPid)) !== 'gone';
}

const atWork = (who: string, root: string): CtxError =>
  new CtxError('busy', `git gc is at work on the store: ${who}.`, {
    hint: `Run the command again. git gc may take minutes; if there is no such process, remove gc.pid from ${root}, or: ctx fsck --break-lock`,
    data: { pointer: 'gc.pid' },
  });

const locked = (root: string): CtxError =>
  new CtxError('busy', 'gc.pid.lock is held by another process, probably Git.', {
    hint: `Run the command again. If no Git is running on the store, remove gc.pid.lock from ${root}; one that is over an hour old: ctx fsck --break-lock`,
    data: { pointer: 'gc.pid.lock' },
  });
