/** Runs another program that answers one question, by its output or its exit code, and quickly. */

import type * as ChildProcess from 'node:child_process';
import { builtIn } from './built-in.ts';

/** Longest accepted answer, in bytes. */
const ANSWER_LIMIT = 64 * 1024;

/**
 * Runs a program without a shell, without input, and without Git's environment variables, which may name another repository.
 * @param timeout in milliseconds
 * @returns its exit code; null if it was killed; 'absent' if it is not installed
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

/** Runs a program likewise; returns its output, or null if it gave none in time. */
export function answerOf([file = '', ...words]: readonly string[], timeout: number): string | null {
  const { spawnSync } = builtIn('node:child_process') as typeof ChildProcess;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const stdio: ChildProcess.StdioOptions = ['ignore', 'pipe', 'ignore'];
  const ran = spawnSync(file, words, { timeout, killSignal: 'SIGKILL', stdio, env: env as NodeJS.ProcessEnv });
  return ran.status === 0 ? ran.stdout.toString('utf8') : null;
}

/**
 * Runs a program without a shell; returns its output, or why there is no answer.
 * @param timeout in milliseconds
 * @param more additional environment variables
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
  // A background process of the program may hold the pipe open: the program itself has ended then, and answered.
  if (code === 'ETIMEDOUT' && ran.status !== 0) return { failed: `it took longer than ${timeout / 1000} s` };
  if (code !== undefined && code !== 'EPIPE' && code !== 'ETIMEDOUT')
    return { failed: `it could not be run (${code})` };
  if (ran.status !== 0) return { failed: `it ended with ${ran.status ?? ran.signal}` };
  return { answer: ran.stdout.toString('utf8') };
}
