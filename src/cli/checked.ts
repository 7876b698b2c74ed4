/** Checks the input of a command by its schema; zod is loaded for those that need it alone. */
import { firstProblem } from '../core/schema-problem.ts';
import { safeParse, schemas } from './frame/schema.ts';
import type { Parsed } from './quick.ts';
import { usage } from './usage.ts';

/** @throws {CtxError} usage, if the input is not as the command takes it */
export function checked({ command, globals, input }: Parsed): Parsed {
  const result = safeParse(command.input(schemas), input);
  if (!result.success) throw usage(`${firstProblem(result.error)}`, command.name);
  return { command, globals, input: result.data };
}
