/** Detects a running `git gc` by its `gc.pid`, which is judged by Git's own rule. */
import { statSync } from 'node:fs';
import { errorCode, LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { THIS_MACHINE } from '../platform/machine.ts';
import type { Layout } from './layout.ts';

/** Age in milliseconds at which Git itself ignores a gc.pid: twelve hours. */
const LONGEST_GC = 43_200_000;
/** The content of a gc.pid: a process, and its machine. */
export const GC_PID = /^(\d{1,15}) (\S{1,256})/;

/** Returns what Git writes about a process. */
export const gcPidLine = (pid: number, host = THIS_MACHINE.host()): string => `${pid} ${host}`;

export const read = (path: string): string | undefined => readIfThere(path, LINES_LIMIT)?.toString('utf8');

/** The state of gc.pid. */
export type GcPidState =
  | { what: 'nothing' }
  /** A running `git gc`, described for a person. */
  | { what: 'held'; by: string; content: Buffer }
  /** A stale one: only this content may be removed, not what is written there later. */
  | { what: 'stale'; content: Buffer };

/** Judges gc.pid by Git's own rule, from its `builtin/gc.c`. */
export function readGcPid({ gcPid }: Layout): GcPidState {
  const content = readIfThere(gcPid, LINES_LIMIT);
  // The age is read last, so that a file written meanwhile is never stale.
  const stat = statSync(gcPid, { throwIfNoEntry: false });
  if (content === undefined || !stat) return { what: 'nothing' };
  const [, pid = '', host = ''] = GC_PID.exec(content.toString('utf8')) ?? [];
  const isOver = host === THIS_MACHINE.host() && (Number(pid) === process.pid || !runs(Number(pid)));
  if (pid === '' || isOver || Date.now() - stat.mtimeMs > LONGEST_GC) return { what: 'stale', content };
  return { what: 'held', by: `process ${pid} on ${host}`, content };
}

/** Describes another `git gc` that is running on a store; null if there is none. */
export function runningGc(layout: Layout): string | null {
  const found = readGcPid(layout);
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
