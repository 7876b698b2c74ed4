/** Threads that work beside this one: each runs a program of its own, and answers one order after the other. */
import { existsSync } from 'node:fs';
import type * as Os from 'node:os';
import { join } from 'node:path';
import type * as V8 from 'node:v8';
import type * as WorkerThreads from 'node:worker_threads';
import { builtIn } from './built-in.ts';
import { leaveGarbage } from './memory.ts';

/**
 * Most memory that a thread has for what it has just made, in MB: V8's own 48 are far more than a line and its records take, and
 * each thread would fill them.
 */
const YOUNG = 12;
/**
 * Most that a thread's heap may hold beside that, in MB. It comes nowhere near: the smaller a heap may be, the less garbage V8
 * lets lie in it, and at this size least of all: a third of what lives, where it is up to three times as much.
 */
const OLD = 256;
/**
 * How much of a function must have run before V8 optimises it, in bytes of its code: each thread optimises all anew, and at
 * V8's own budget a sixth of the time and 35 MB went into that (measured with Node 20). Later ones have no such flag and say so on
 * stderr; what they have in its place, calls that are counted, saves nothing.
 */
const BUDGET = { v8: '11.3.', own: 67_584, threads: 270_336 };
/**
 * Whether V8 compiles what a function calls into it: it then compiles much of it several times over, and throws it away whenever
 * an object that it has seen there is of a form that no other one has any more (measured: a tenth of the time).
 */
const INLINING = { own: '--turbo-inlining', threads: '--no-turbo-inlining' };

/** Whether V8 can be told to compile less. */
const hasBudget = (): boolean => process.versions.v8.startsWith(BUDGET.v8);

/**
 * How many threads this machine has work for at the same time. One where V8 compiles as much as it likes: several hold more
 * than ctx may (up to 300 MB with Node 24, measured).
 */
export function parallelism(): number {
  if (!hasBudget()) return 1;
  const os = builtIn('node:os') as typeof Os;
  return os.availableParallelism?.() ?? os.cpus().length;
}

export interface Threads<Order, Answer> {
  /** How many of them are waiting for an order. */
  readonly idle: number;
  /** Gives an order to one that waits; null comes where it could not be done, or the thread has ended. */
  order: (order: Order) => Promise<Answer | null>;
  /** Ends them, each behind the order that it is at. */
  end: () => Promise<void>;
}

/** Path of a program that the build puts beside this one; null where there is none, as where ctx runs from its sources. */
export function programBeside(name: string): string | null {
  const folder = import.meta.dirname;
  return [join(folder, name), join(folder, '..', name)].find((path) => existsSync(path)) ?? null;
}

/** Starts some threads that run a program which calls `answerOrders`. */
export function startThreads<Order, Answer>(program: string, count: number): Threads<Order, Answer> {
  const { Worker } = builtIn('node:worker_threads') as typeof WorkerThreads;
  const idle: WorkerThreads.Worker[] = [];
  /** Those that are at an order, with who waits for its end. */
  const waiting = new Map<WorkerThreads.Worker, (answer: Answer | null) => void>();
  const pending = new Set<Promise<unknown>>();
  const settle = (worker: WorkerThreads.Worker, answer: Answer | null): void => {
    waiting.get(worker)?.(answer);
    waiting.delete(worker);
  };
  const ended = (worker: WorkerThreads.Worker): void => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
    // Its order is carried out by whoever gave it.
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
      // The code cache of the program counts for the flags that it was made under.
      compileAs('own');
    },
  };
}

/** Has V8 compile as it does by itself, or as is best in threads. */
function compileAs(whose: 'own' | 'threads'): void {
  const { setFlagsFromString } = builtIn('node:v8') as typeof V8;
  if (hasBudget()) setFlagsFromString(`--interrupt-budget=${BUDGET[whose]}`);
  setFlagsFromString(INLINING[whose]);
}

/** Answers the orders that come to this thread; what fails is answered by null. */
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
