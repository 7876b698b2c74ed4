/** Defines a rule from the settings of a user: a name and a linear pattern. */
import { CtxError } from '../core/errors.ts';
import { linearPattern } from './linear.ts';
import { type Node, readPattern } from './pattern-reader.ts';
import { RULE_NAMES } from './rule-names.ts';

export interface CustomRule {
  /** In kebab-case; part of the marker. */
  readonly name: string;
  readonly pattern: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Checks a custom rule.
 * @throws {CtxError} invalid_settings, if the pattern is not linear or can match the empty string, or the name is taken or not in
 * kebab-case
 */
export function assertCustomRule({ name, pattern }: CustomRule): void {
  if (!NAME.test(name) || name.length > 60) {
    throw new CtxError('invalid_settings', `A rule is named in kebab-case, not ${name}.`);
  }
  if (RULE_NAMES.some((known) => known === name)) {
    throw new CtxError('invalid_settings', `There is a rule ${name} already: give yours another name.`);
  }
  linearPattern(pattern);
  if (takesNothing(readPattern(pattern, false))) {
    const which = pattern === '' ? 'an empty one' : pattern;
    throw new CtxError('invalid_settings', `A pattern must match at least one character, and ${which} may match none.`);
  }
}

/** Checks whether a part of a pattern can match the empty string. */
function takesNothing(node: Node): boolean {
  switch (node.kind) {
    case 'chars':
      return false;
    case 'edge':
    case 'look':
      return true;
    case 'catch':
      return takesNothing(node.item);
    case 'choice':
      return node.options.some(takesNothing);
    case 'repeat':
      return node.least === 0 || takesNothing(node.item);
    case 'sequence':
      return node.items.every(takesNothing);
  }
}
