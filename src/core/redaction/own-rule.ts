/** A rule of the user's own: a name and a linear pattern. */
import { CtxError } from '../errors.ts';
import { assertLinear } from './linear.ts';
import { RULE_NAMES } from './rule-names.ts';

export interface OwnRule {
  /** Kebab-case; stands in the marker. */
  readonly name: string;
  readonly pattern: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** @throws {CtxError} invalid_settings, where the pattern is not linear or matches nothing at all, or the name is taken or not in kebab-case */
export function assertOwnRule({ name, pattern }: OwnRule): void {
  if (!NAME.test(name) || name.length > 60) {
    throw new CtxError('invalid_settings', `A rule is named in kebab-case, not ${name}.`);
  }
  if (RULE_NAMES.some((known) => known === name)) {
    throw new CtxError('invalid_settings', `There is a rule ${name} already: give yours another name.`);
  }
  assertLinear(pattern);
  if (new RegExp(pattern).test('')) {
    throw new CtxError('invalid_settings', `A pattern must not match the empty text, as ${pattern} does.`);
  }
}
