/** Whether a `git gc` is at work on a store, by its `gc.pid`, which is judged by Git's own rule. */
import { statSync } from 'node:fs';
import { errorCode, LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { THIS_MACHINE } from '../platform/machine.ts';
import type { Layout } from './layout.ts';

/** Age from which Git itself passes over a gc.pid, in milliseconds: twelve hours. */
const LONGEST_GC = 43_200_000;
/** What a gc.pid says: a process, and the machine that it runs on. */
export const GC_PID = /^(\d{1,15}) (\S{1,256})/;

/** What Git writes of a process. */
export const signOf = (pid: number, host = THIS_MACHINE.host()): string => `${pid} ${host}`;

export const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/** What was found in the place of gc.pid. */
export type Found =
  | { what: 'nothing' }
  /** A `git gc` that is at work, in words. */
  | { what: 'held'; by: string; content: Buffer }
  /** What says nothing any more: only this may be taken away, whatever stands there by then. */
  | { what: 'stale'; content: Buffer };

/** Judges gc.pid by Git's own rule, from its `builtin/gc.c`. */
export function look({ gcPid }: Layout): Found {
  const content = readIfThere(gcPid, LINES_LIMIT);
  // Its age comes last: so it never makes what was put there meanwhile stale.
  const stat = statSync(gcPid, { throwIfNoEntry: false });
  if (content === undefined || !stat) return { what: 'nothing' };
  const [, pid = '', host = ''] = GC_PID.exec(content.toString('utf8')) ?? [];
  const isOver = host === THIS_MACHINE.host() && (Number(pid) === process.pid || !runs(Number(pid)));
  if (pid === '' || isOver || Date.now() - stat.mtimeMs > LONGEST_GC) return { what: 'stale', content };
  return { what: 'held', by: `process ${pid} on ${host}`, content };
}

/** Who else is at work with `git gc` on a store, in words; null where nobody is. */
export function gitAtWork(layout: Layout): string | null {
  const found = look(layout);
  return found.what === 'held' ? found.by : null;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
