/** Starts the program of an agent in front of the user, and ends as the program ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { CtxError } from '../../core/errors.ts';
import { errorCode } from '../../platform/files.ts';
import type { Launch } from './launch.ts';

/** Signals that a terminal sends to the agent itself: ctx only waits for what the agent makes of them. */
const OF_TERMINAL = ['SIGINT', 'SIGQUIT'] as const;
/** Signals that are sent to ctx alone: they are meant for the agent. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const;

/** Returns the environment of an agent: that of the user, without what leads ctx to another session. */
function environmentOf(launch: Launch, environment: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const { CTX_SESSION: _session, ...rest } = environment;
  return { ...rest, ...launch.env };
}

/**
 * Runs an agent to its end.
 * @returns its exit code; if a signal ends it, ctx is ended by the same one, and what a shell would say is returned
 * @throws {CtxError} not_found, if the program is not installed
 */
export async function startAgent(
  launch: Launch,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { program, args, directory } = launch;
  const child = spawn(program, [...args], {
    cwd: directory,
    stdio: 'inherit',
    env: environmentOf(launch, environment),
  });
  const wait = (): void => undefined;
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of OF_TERMINAL) process.on(signal, wait);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (signal === null) return code ?? 1;
    for (const each of [...OF_TERMINAL, ...PASSED_ON]) process.removeAllListeners(each);
    process.kill(process.pid, signal);
    return 128 + constants.signals[signal];
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CtxError('not_found', `${program} is not installed here, or is not on PATH.`, {
      hint: 'The session is active. Print its context with --no-launch, or start another agent with --launch <agent>.',
      cause: error,
    });
  } finally {
    for (const signal of OF_TERMINAL) process.off(signal, wait);
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}
