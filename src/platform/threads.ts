/** Worker threads: each runs a program of its own, and answers one order after the other. */
import { existsSync } from 'node:fs';
import type * as Os from 'node:os';
import { join } from 'node:path';
import type * as V8 from 'node:v8';
import type * as WorkerThreads from 'node:worker_threads';
import { builtIn } from './built-in.ts';
import { leaveGarbage } from './memory.ts';

/**
 * Young generation of a thread in MB: V8's default of 48 is far more than a line and its records take, and each thread would
 * fill it.
 */
const YOUNG = 12;
/**
 * Old generation of a thread in MB. The heap comes nowhere near: the smaller its limit, the less garbage V8 leaves in it,
 * least at this size: a third of the live size instead of up to three times as much.
 */
const OLD = 256;
/**
 * Size of the part of a function that must have run before V8 optimises it, in bytes of its code: each thread optimises everything again,
 * and with V8's own budget a sixth of the time and 35 MB were spent on that (measured with Node 20). Later versions have no
 * such flag and report that on stderr; their replacement, counted calls, saves nothing.
 */
const BUDGET = { v8: '11.3.', own: 67_584, threads: 270_336 };
/**
 * Flags for the inlining of the functions that a function calls: with it V8 compiles many of them several times, and discards the code
 * whenever an object shape that it has seen there is no longer used by another object (measured: a tenth of the time).
 */
const INLINING = { own: '--turbo-inlining', threads: '--no-turbo-inlining' };

/** Returns whether V8 accepts the flag that makes it compile less. */
const hasBudget = (): boolean => process.versions.v8.startsWith(BUDGET.v8);

/**
 * Returns how many threads this machine has work for at the same time. One, if V8 compiles as much as it likes: several
 * would exceed the memory budget of ctx (up to 300 MB with Node 24, measured).
 */
export function parallelism(): number {
  if (!hasBudget()) return 1;
  const os = builtIn('node:os') as typeof Os;
  return os.availableParallelism?.() ?? os.cpus().length;
}

export interface Threads<Order, Answer> {
  /** Number of threads that are waiting for an order. */
  readonly idle: number;
  /** Gives an order to a waiting thread; resolves to null if the order failed or the thread has ended. */
  order: (order: Order) => Promise<Answer | null>;
  /** Ends the threads, each after its current order. */
  end: () => Promise<void>;
}

/** Returns the path of a program that the build puts beside this one; null if there is none, as when ctx runs from its sources. */
export function programBeside(name: string): string | null {
  const folder = import.meta.dirname;
  return [join(folder, name), join(folder, '..', name)].find((path) => existsSync(path)) ?? null;
}

/** Starts threads that run a program which calls `answerOrders`. */
export function startThreads<Order, Answer>(program: string, count: number): Threads<Order, Answer> {
  const { Worker } = builtIn('node:worker_threads') as typeof WorkerThreads;
  const idle: WorkerThreads.Worker[] = [];
  /** The threads at work, each with the resolver of its order. */
  const waiting = new Map<WorkerThreads.Worker, (answer: Answer | null) => void>();
  const pending = new Set<Promise<unknown>>();
  const settle = (worker: WorkerThreads.Worker, answer: Answer | null): void => {
    waiting.get(worker)?.(answer);
    waiting.delete(worker);
  };
  const ended = (worker: WorkerThreads.Worker): void => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
    // The caller carries out the order itself.
    settle(worker, null);
  };
  const start = (): void => {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG, maxOldGenerationSizeMb: OLD };
    const worker = new Worker(program, { resourceLimits });
    worker.on('message', (answer: Answer | null) => {
      idle.push(worker);
      settle(worker, answer);
    });
    worker.on('error', () => ended(worker));
    worker.on('exit', () => ended(worker));
    idle.push(worker);
  };
  compileAs('threads');
  try {
    for (let started = 0; started < count; started += 1) start();
  } catch (error) {
    compileAs('own');
    throw error;
  }
  return {
    get idle() {
      return idle.length;
    },
    order: (order) => {
      const worker = idle.shift();
      if (!worker) return Promise.resolve(null);
      worker.postMessage(order);
      const answered = new Promise<Answer | null>((resolve) => waiting.set(worker, resolve));
      pending.add(answered);
      void answered.then(() => pending.delete(answered));
      return answered;
    },
    end: async () => {
      await Promise.all(pending);
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
      // The code cache of the program is valid for the flags that it was made with.
      compileAs('own');
    },
  };
}

/** Sets V8's flags for compiling: the defaults, or those that are best in threads. */
function compileAs(whose: 'own' | 'threads'): void {
  const { setFlagsFromString } = builtIn('node:v8') as typeof V8;
  if (hasBudget()) setFlagsFromString(`--interrupt-budget=${BUDGET[whose]}`);
  setFlagsFromString(INLINING[whose]);
}

/** Answers the orders that come to this thread; a failed one is answered by null. */
export function answerOrders<Order, Answer>(answer: (order: Order) => Answer): void {
  const { parentPort } = builtIn('node:worker_threads') as typeof WorkerThreads;
  leaveGarbage();
  parentPort?.on('message', (order: Order) => {
    let answered: Answer | null;
    try {
      answered = answer(order);
    } catch {
      answered = null;
    }
    parentPort.postMessage(answered);
  });
}
