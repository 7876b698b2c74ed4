/** Finds the last word of a text that another chunk continues: the sign that it is a key may be at its end, or behind it. */
import { areRandomLetters } from './letters.ts';
import { isPassword } from './passwords.ts';
import type { Found } from './rule.ts';
import { changesOften, isBegunUuid, isHarmless, isMixed, isOpaque, isUuid } from './shape.ts';

/** Without what ends a word in text and in code. */
const LAST_WORD = /[^\s"'`<>()[\]{},;|\\]{9,200}$/;
const LONGEST = 200;
/** Half of the shortest key that only its end tells. */
const LEAST_KEY = 17;
const LEAST_PASSWORD = 8;
/** Hashes as everybody writes them: SHA-1, SHA-256, SHA-512. One of MD5 may go on as a key of Mailchimp or New Relic. */
const HASH = /^(?:sha(?:1|256|384|512)-)?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;

const looksDrawn = (secret: string): boolean =>
  isBegunUuid(secret) ||
  (isPassword(secret) &&
    (isMixed(secret) || changesOften(secret) || areRandomLetters(secret.replace(/[^A-Za-z]/g, ''))));

/** A name or a user in front of it. */
const OWNER = /^(?:[\w.-]{1,32}[:=]){1,4}(?![/=]|$)/;

/**
 * The beginning of what looks like a key or, behind a user and a colon, like a password; none, or one.
 * @param from where the text begins in which that word stands
 */
export function findLastWord(text: string, from = 0): Found[] {
  const word = LAST_WORD.exec(text.slice(Math.max(from, text.length - LONGEST)))?.[0] ?? '';
  if (word.length < LEAST_PASSWORD) return [];
  const owner = OWNER.exec(word)?.[0] ?? '';
  const secret = word.slice(owner.length);
  // Most texts end in a short word, of which nothing has to be known.
  if (secret.length < LEAST_PASSWORD) return [];
  if (HASH.test(secret) || isUuid(secret) || isHarmless(secret)) return [];
  const isKey = secret.length >= LEAST_KEY && isOpaque(secret);
  const isOne = isKey || (owner.endsWith(':') && secret.length >= LEAST_PASSWORD && looksDrawn(secret));
  return isOne ? [{ rule: 'secret', certainty: 'guess', start: text.length - secret.length, end: text.length }] : [];
}
