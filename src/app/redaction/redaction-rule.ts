/** A rule of redaction that a command is given by its name. */
import { CtxError } from '../../core/errors.ts';
import { type RedactionOptions, redactionRules } from '../../secrets/index.ts';

/** @throws {CtxError} usage, where there is no such rule; its data name those that there are */
export function checkRule(given: string, options: RedactionOptions): void {
  const rules = redactionRules(options);
  if (rules.includes(given)) return;
  throw new CtxError('usage', `There is no rule ${given}.`, {
    hint: 'They are listed in docs/secrets.md, and with --json in the data of this error; your own are in settings.json.',
    data: { rules },
  });
}
