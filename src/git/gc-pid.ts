/** Git's `gc.pid`, by which only one `git gc` is at work at a time: judged as Git judges it, and taken so that Git heeds it. */
import { renameSync, statSync } from 'node:fs';
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
import { THIS_MACHINE } from '../platform/machine.ts';
import { publishFile } from '../platform/publish.ts';
import { GC_PID, gitAtWork, look, read, signOf } from './git-at-work.ts';
import type { Layout } from './layout.ts';
import type { StoreFiles } from './store-files.ts';

/** Between two tries, in milliseconds. */
const PAUSE = 20;

/** Whether it says that this process works. */
export const isGcPidOurs = ({ gcPid }: Layout): boolean => read(gcPid) === signOf(process.pid);

/**
 * Takes gc.pid as Git does, but for its lock: a Git that has that one has looked before ours was there, or will see it.
 * @param wait in milliseconds
 * @returns a function that lets it go
 * @throws {CtxError} busy, while a `git gc` is at work; io
 */
export function takeGcPid(repository: StoreFiles, wait: number): () => void {
  const { layout } = repository;
  const { gcPid, root } = layout;
  const lock = `${gcPid}.lock`;
  const mine = signOf(process.pid);
  const isMine = (): boolean => isGcPidOurs(layout);
  const started = monotonicTime();
  const waited = (why: () => CtxError): void => {
    if (monotonicTime() - started > wait) throw why();
    pause(PAUSE);
  };
  for (;;) {
    const found = look(layout);
    if (found.what === 'held') waited(() => atWork(found.by, root));
    else if (found.what === 'stale') clear(repository, found.content);
    else if (create(gcPid, mine)) {
      try {
        while (exists(lock) && isMine()) waited(() => locked(root));
      } catch (error) {
        if (isMine()) discard(gcPid);
        throw error;
      }
      // Git takes it away when it has done its work in our name.
      if (isMine()) return () => void (isMine() && removeFile(gcPid));
    }
  }
}

/**
 * Says in gc.pid which process works now: one of Git's goes on where ctx is killed. Only with what keeps others from packing in hand.
 * @throws {CtxError} busy, where somebody has taken it meanwhile
 */
export function handPacking({ layout, ids }: StoreFiles, from: number, to: number): void {
  const { gcPid, packing, root } = layout;
  if (read(gcPid) !== signOf(from)) throw atWork(gitAtWork(layout) ?? 'a process that has ended', root);
  writeDurably(gcPid, `${packing}.${ids()}.tmp`, signOf(to), { fsync: false });
}

/** Creates gc.pid where nothing stands; false where somebody else was faster. */
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
 * Takes away a gc.pid that says nothing any more, as it was judged. A Git may put its own there at any moment, and heeds none of
 * our locks: so it is looked at once more where nobody else finds it, and goes back where it is another one.
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
 * Takes away the gc.pid of a ctx that was killed: it has nothing but a number of it, which may be that of another process by
 * now, and nobody would pack for half a day. Only for who breaks that one's LOCK.packing, and so knows that it is gone.
 */
export function clearGcPidOf(repository: StoreFiles, holder: Holder): void {
  const { gcPid } = repository.layout;
  const content = readIfThere(gcPid, LINES_LIMIT);
  if (content?.toString('utf8') !== signOf(holder.pid, holder.host)) return;
  // By a rare chance it is a Git that has got the number, and has written it there.
  if (stateOfHolder({ ...holder, boot: '', started: '' }, () => writtenAt(gcPid)) !== 'runs')
    clear(repository, content);
}

/**
 * Takes gc.pid away, since a person says that nobody packs: one of another machine perhaps, of which nothing can be told here.
 * @returns whether there was one
 * @throws {CtxError} busy, where the process that it names runs here, or may: without `ps` one cannot be told from another of its number
 */
export function breakGcPid(repository: StoreFiles): boolean {
  const { layout } = repository;
  const found = look(layout);
  if (found.what === 'nothing') return false;
  if (found.what === 'held' && mayRunHere(layout, found.content)) {
    const hint = 'Wait for it, or end that process first.';
    throw new CtxError('busy', `gc.pid was not removed: a git gc, ${found.by}, is alive and holds it.`, { hint });
  }
  clear(repository, found.content);
  return true;
}

/** Whether the process that a gc.pid names may run here: when it was started tells whether it only has the number of another one. */
function mayRunHere({ gcPid }: Layout, content: Buffer): boolean {
  const [, pid = '', host = ''] = GC_PID.exec(content.toString('utf8')) ?? [];
  const namespace = THIS_MACHINE.namespace();
  const holder = { pid: Number(pid), host, boot: '', namespace, started: '', nonce: '' };
  return host === THIS_MACHINE.host() && stateOfHolder(holder, () => writtenAt(gcPid)) !== 'gone';
}

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();

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
