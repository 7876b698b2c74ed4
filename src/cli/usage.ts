/** Words what is wrong with a command line, and names its help. */
import { CtxError } from '../core/errors.ts';

/** @param command the command that is meant, or its group; empty if none is known */
export function usage(message: string, command: string): CtxError {
  return new CtxError('usage', message, { hint: `See: ctx ${command}${command ? ' ' : ''}--help` });
}
