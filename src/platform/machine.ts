/** What this machine says of itself and of its processes: by /proc where there is one, else by the calls of Node and by `ps`. */
import { readFileSync, readlinkSync } from 'node:fs';
import type * as Os from 'node:os';
import { builtIn } from './built-in.ts';
import { errorCode } from './files.ts';
import { askProgram } from './program.ts';

/** A machine as whoever asks after the holder of a lock sees it. */
export interface Machine {
  host: () => string;
  /** Changes with each start of the machine; empty where the system tells none. */
  boot: () => string;
  /** PID namespace of this process; empty where the system has none. */
  namespace: () => string;
  /** When this process started, in the system's own unit; empty where unknown. */
  started: () => string;
  /** What there is of a process of this namespace; undefined where nothing has that number. */
  process: (pid: number) => SeenProcess | undefined;
  /** The same by a program that is run for it: what a machine without /proc has to tell; undefined where it tells nothing. */
  listed: (pid: number) => ListedProcess | undefined;
  /** When the machine started, in milliseconds of its wall clock. */
  bootedAt: () => number;
  /** Milliseconds of the wall clock. */
  now: () => number;
}

export interface SeenProcess {
  /** Whether it has ended, and its parent has not looked yet. */
  ended: boolean;
  /** When it started, in the unit of `started`; empty where unknown. */
  started: string;
}

export interface ListedProcess {
  ended: boolean;
  /** When it started, in milliseconds of the wall clock. */
  startedAt: number;
}

/** Longest wait for `ps`, in milliseconds. */
const LISTING = 2000;

export const THIS_MACHINE: Machine = {
  host: hostName,
  boot: () => readSystem('/proc/sys/kernel/random/boot_id'),
  namespace: namespaceOfProcess,
  started: () => startOf(statOf('self')),
  process: seenProcess,
  listed: listedProcess,
  bootedAt: () => Date.now() - os().uptime() * 1000,
  now: () => Date.now(),
};

/** Loaded when it is needed: a hook would wait for it. */
const os = (): typeof Os => builtIn('node:os') as typeof Os;

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The name of this machine; where the system shows it as a file, node:os need not be loaded. */
function hostName(): string {
  const told = readSystem('/proc/sys/kernel/hostname');
  return told === '' ? os().hostname() : told;
}

function namespaceOfProcess(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The fields of proc(5) stat behind the name, which may have blanks and brackets in it; the first is the state. */
function statOf(pid: number | 'self'): string[] {
  const stat = readSystem(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Start time of a process in clock ticks since boot: field 22 of proc(5) stat, counted behind the name's last bracket. */
const startOf = (fields: readonly string[]): string => fields[19] ?? '';

function seenProcess(pid: number): SeenProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (errorCode(error) === 'ESRCH') return undefined;
  }
  const fields = statOf(pid);
  return { ended: fields[0] === 'Z' || fields[0] === 'X', started: startOf(fields) };
}

function listedProcess(pid: number): ListedProcess | undefined {
  // Without a zone and a language of its own: the time is printed as the user would read it.
  const words = ['env', 'TZ=UTC', 'LC_ALL=C', 'ps', '-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const told = askProgram(words, '', LISTING);
  return 'answer' in told ? parseListed(told.answer) : undefined;
}

/** Reads a line such as `Ss   Thu Sep 17 18:24:52 2026`. */
function parseListed(line: string): ListedProcess | undefined {
  const [, state = '', start = ''] = /^\s*(\S+)\s+(\S.*\d{4})\s*$/.exec(line) ?? [];
  const startedAt = Date.parse(`${start} UTC`);
  return Number.isNaN(startedAt) ? undefined : { ended: state.startsWith('Z'), startedAt };
}
