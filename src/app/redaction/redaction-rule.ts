/** Checks the name of a redaction rule that a command was given. */
import { CtxError } from '../../core/errors.ts';
import { type RedactionOptions, redactionRules } from '../../secrets/index.ts';

/** Throws unless there is a rule of this name. @throws {CtxError} usage; its data name the rules that there are */
export function checkRule(given: string, options: RedactionOptions): void {
  const rules = redactionRules(options);
  if (rules.includes(given)) return;
  throw new CtxError('usage', `There is no rule ${given}.`, {
    hint: 'They are listed in docs/secrets.md, and with --json in the data of this error; your own are in settings.json.',
    data: { rules },
  });
}
