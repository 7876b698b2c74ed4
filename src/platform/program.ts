/** Another program, asked one question, which it answers in words or by how it ends: it has to be quick. */

import type * as ChildProcess from 'node:child_process';
import { builtIn } from './built-in.ts';

/** Longest answer that is taken, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/**
 * Runs a program without a shell, an input, or what Git's environment says of another repository.
 * @param timeout in milliseconds
 * @returns its exit code; null where it was cut off; 'absent' where it is not installed
 */
export function exitOf([file = '', ...words]: readonly string[], timeout: number): number | 'absent' | null {
  const { spawnSync } = builtIn('node:child_process') as typeof ChildProcess;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const ran = spawnSync(file, words, {
    timeout,
    killSignal: 'SIGKILL',
    stdio: 'ignore',
    env: env as NodeJS.ProcessEnv,
  });
  return (ran.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' ? 'absent' : ran.status;
}

/**
 * Runs a program without a shell; gives what it printed, or why there is no answer.
 * @param timeout in milliseconds
 * @param more variables of its environment, beside ours
 */
export function askProgram(
  [file = '', ...words]: readonly string[],
  input: string,
  timeout: number,
  more: Readonly<Record<string, string>> = {},
): { answer: string } | { failed: string } {
  const { spawnSync } = builtIn('node:child_process') as typeof ChildProcess;
  const stdio: ChildProcess.StdioOptions = ['pipe', 'pipe', 'ignore'];
  const env = { ...process.env, ...more };
  const ran = spawnSync(file, words, { input, timeout, killSignal: 'SIGKILL', maxBuffer: ANSWER_LIMIT, stdio, env });
  const code = (ran.error as NodeJS.ErrnoException | undefined)?.code;
  // A program that it has left behind may hold the pipe open: it has ended itself then, and answered.
  if (code === 'ETIMEDOUT' && ran.status !== 0) return { failed: `it took longer than ${timeout / 1000} s` };
  if (code !== undefined && code !== 'EPIPE' && code !== 'ETIMEDOUT')
    return { failed: `it could not be run (${code})` };
  if (ran.status !== 0) return { failed: `it ended with ${ran.status ?? ran.signal}` };
  return { answer: ran.stdout.toString('utf8') };
}
