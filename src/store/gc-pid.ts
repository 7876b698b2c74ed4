/** Git's `gc.pid`, by which only one `git gc` is at work at a time: judged as Git judges it, and taken so that Git heeds it. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { CtxError } from '../core/errors.ts';
import { monotonicTime, pause } from '../platform/clock.ts';
import {
  createFile,
  discard,
  errorCode,
  exists,
  LINES_LIMIT,
  readIfThere,
  removeFile,
  writeDurably,
} from '../platform/files.ts';
import type { Layout } from './layout.ts';
import type { Repository } from './repository.ts';

/** Age from which Git itself passes over a gc.pid, in milliseconds: twelve hours. */
const LONGEST_GC = 43_200_000;
/** Between two tries, in milliseconds. */
const PAUSE = 20;

/** What a gc.pid says: a process, and the machine that it runs on. */
const GC_PID = /^(\d{1,15}) (\S{1,256})/;

/** What Git writes of a process of this machine. */
const signOf = (pid: number): string => `${pid} ${hostname()}`;

const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/** Who else is at work with `git gc` on a store, in words; null where nobody is. Git's own rule, from its `builtin/gc.c`. */
export function gitAtWork({ gcPid }: Layout): string | null {
  const stat = statSync(gcPid, { throwIfNoEntry: false });
  if (!stat?.isFile() || Date.now() - stat.mtimeMs > LONGEST_GC) return null;
  const [, pid = '', host = ''] = GC_PID.exec(read(gcPid) ?? '') ?? [];
  const isHere = host === hostname();
  if (pid === '' || (isHere && (Number(pid) === process.pid || !runs(Number(pid))))) return null;
  return `process ${pid} on ${host}`;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Takes gc.pid as Git does, but for its lock: a Git that has that one has looked before ours was there, or will see it.
 * @param wait in milliseconds
 * @returns a function that lets it go
 * @throws {CtxError} busy, while a `git gc` is at work; io
 */
export function takeGcPid(layout: Layout, wait: number): () => void {
  const { gcPid, root } = layout;
  const lock = `${gcPid}.lock`;
  const mine = signOf(process.pid);
  const isMine = (): boolean => read(gcPid) === mine;
  const started = monotonicTime();
  const waited = (why: () => CtxError): void => {
    if (monotonicTime() - started > wait) throw why();
    pause(PAUSE);
  };
  for (;;) {
    const other = gitAtWork(layout);
    if (other !== null) waited(() => atWork(other, root));
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
export function handPacking({ layout, ids }: Repository, from: number, to: number): void {
  const { gcPid, packing, root } = layout;
  if (read(gcPid) !== signOf(from)) throw atWork(gitAtWork(layout) ?? 'a process that has ended', root);
  writeDurably(gcPid, `${packing}.${ids()}.tmp`, signOf(to), { fsync: false });
}

/** Creates gc.pid in the place of one that says nothing any more; false where somebody else was faster. */
function create(gcPid: string, content: string): boolean {
  removeFile(gcPid);
  try {
    createFile(gcPid, content, { fsync: false });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

const atWork = (who: string, root: string): CtxError =>
  new CtxError('busy', `git gc is at work on the store: ${who}.`, {
    hint: `Run the command again when it is through. If there is no such process, remove gc.pid from ${root}`,
    data: { pointer: 'gc.pid' },
  });

const locked = (root: string): CtxError =>
  new CtxError('busy', 'gc.pid.lock is held by another process, probably Git.', {
    hint: `Run the command again. If no Git is running on the store, remove gc.pid.lock from ${root}; one that is over an hour old: ctx fsck --break-lock`,
    data: { pointer: 'gc.pid.lock' },
  });
