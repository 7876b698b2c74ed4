/** Finds the texts in a store that a pattern or a redaction rule matches: these are forgotten. */
import { CtxError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { mapTexts } from '../../core/session/map-texts.ts';
import { everyText } from '../../history/forget/discover.ts';
import type { Repository } from '../../history/store/repository.ts';
import { findSecrets, linearPattern, redactValue } from '../../secrets/index.ts';
import { redactionOptions } from '../redaction/redact.ts';
import { checkRule } from '../redaction/redaction-rule.ts';

/** Most different texts that are forgotten at once. */
const MOST = 5000;

function add(found: Map<string, string | null>, text: string, rule: string | null, whose: string): void {
  found.set(text, rule);
  if (found.size > MOST) {
    throw new CtxError('invalid_input', `${whose} finds more than ${MOST} different texts.`, {
      hint: 'Nothing was changed. Say more closely what is meant.',
    });
  }
}

const nothing = (whose: string): CtxError =>
  new CtxError('not_found', `${whose} finds nothing in this store.`, { hint: 'Nothing was changed.' });

/**
 * Finds the matches of a pattern.
 * @throws {CtxError} invalid_input, if the pattern does not take linear time; not_found
 */
export function matchesOfPattern(repository: Repository, pattern: string): Map<string, null> {
  let linear: string;
  try {
    linear = linearPattern(pattern);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    throw new CtxError('invalid_input', error.message, { hint: error.hint, cause: error });
  }
  const found = new Map<string, null>();
  const search = new RegExp(linear, 'g');
  const look = (text: string): string => {
    for (const [match] of text.matchAll(search)) if (match !== '') add(found, match, null, 'The pattern');
    return text;
  };
  for (const value of everyText(repository)) mapTexts(value, look);
  if (found.size === 0) throw nothing('The pattern');
  return found;
}

/** Finds the matches of a rule. @throws {CtxError} usage, if there is no such rule; not_found */
export function matchesOfRule(repository: Repository, rule: string): Map<string, string> {
  const options = redactionOptions(repository);
  checkRule(rule, options);
  const found = new Map<string, string>();
  const label = (secret: string, by: string): string => {
    // A private key is reported here without its line ends: it is found as text below.
    if (by === rule && by !== 'private-key') add(found, secret, rule, 'The rule');
    return '000000';
  };
  const look = (text: string): string => {
    for (const { rule: by, start, end } of findSecrets(text, options))
      if (by === rule) add(found, text.slice(start, end), rule, 'The rule');
    return text;
  };
  for (const value of everyText(repository)) {
    mapTexts(value, look);
    if (typeof value !== 'string') redactValue(value as JsonValue, options, label);
  }
  if (found.size === 0) throw nothing('The rule');
  return found;
}
