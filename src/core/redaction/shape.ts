/** What a secret looks like: entropy, randomness, and the placeholders that only pretend. */

/** Shannon entropy in bits a character; of long texts, of their first 512 characters. */
export function entropyOf(text: string): number {
  const length = Math.min(text.length, 512);
  const counts = new Map<number, number>();
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

/** Words that stand in for a secret in documentation and settings. Short ones count where a word begins: chance makes them too. */
const STAND_IN =
  /example|placeholder|change[-_]?me|change[-_]?this|redacted|(?<![a-z0-9])(?:dummy|fake|replace|insert|your|todo)|\*\*\*|\.\.\./i;
const CROSSES = /x{4}|X{4}/;
const SEQUENCE = /12345678|23456789|abcdefg|(?:0123){2}|deadbeef|qwerty/i;
const SAME = /([^A])\1{5}/;
const LONGEST_STAND_IN = 300;

/** The payload of the example that jwt.io shows begins so: everybody has it in a test. */
const JWT_EXAMPLE = Buffer.from('{"sub":"1234567890","name":"John Doe').toString('base64url').slice(0, 46);

/** Whether a text is known from documentation, or says itself that it is no secret, as `AKIA…EXAMPLE` does. */
export function isPlaceholder(text: string): boolean {
  if (text.includes(JWT_EXAMPLE)) return true;
  return (
    text.length <= LONGEST_STAND_IN &&
    (STAND_IN.test(text) || CROSSES.test(text) || SEQUENCE.test(text) || SAME.test(text))
  );
}

/** What is filled in later, or lies elsewhere: variables, templates, expressions, references, paths. */
const REFERENCE =
  /^(?:\$[A-Za-z_{(]|%[A-Za-z_]{1,60}%|\{|<|\(|@[A-Z_]|#\{|process\.|os\.|env[.:]|secrets?\.|vault:|op:|arn:|ref\+|sha(?:1|256|384|512)[-:]|file:|https?:)|:\/\//i;
const PATH = /^(?:~?\.{0,2}\/[A-Za-z0-9_.@-]*(?:\/|$)|[A-Za-z]:\\)/;

export const isReference = (text: string): boolean => REFERENCE.test(text) || PATH.test(text);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

const kindOf = (code: number): number =>
  code >= 97 && code <= 122 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;

/** How many characters in a row are of one kind (lower, upper, digit) on average: 1.6 where random, over 3 in words. */
function meanRun(text: string): number {
  let runs = 1;
  for (let index = 1; index < text.length; index++) {
    if (kindOf(text.charCodeAt(index)) !== kindOf(text.charCodeAt(index - 1))) runs++;
  }
  return text.length / runs;
}

/** Whether letters change between small and large more often than in words. */
export const changesOften = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text) && meanRun(text) <= 2.5;

/** A stretch of letters and digits that no person would name something. */
function isRandom(chunk: string): boolean {
  if (chunk.length < 8) return false;
  // A number at the end belongs to a name as well: `password2`.
  const digits = /[0-9]/.test(chunk.replace(/[0-9]{1,4}$/, ''));
  const letters = /[A-Za-z]/.test(chunk);
  if (!letters) return false;
  if (!digits) return chunk.length >= 20 && changesOften(chunk);
  return entropyOf(chunk) >= 2.2 && meanRun(chunk) <= (chunk.length < 24 ? 3.4 : 5.5);
}

/** Least characters of randomness in an opaque text. */
const OPAQUE_LENGTH = 12;

/** Whether a text looks like a key or token: made by a machine to be unguessable, and not by a person to be read. */
export function isOpaque(text: string): boolean {
  if (text.length < OPAQUE_LENGTH || isPlaceholder(text) || isReference(text)) return false;
  let random = 0;
  for (const chunk of text.split(/[^A-Za-z0-9]+/)) if (isRandom(chunk)) random += chunk.length;
  return random >= OPAQUE_LENGTH && entropyOf(text) >= 3;
}

/** Words that settings and tests use where a password belongs, and numbers. */
const TRIVIAL =
  /pass(?:word|wd|wort)?|secret|test|admin|root|user|guest|demo|sample|foo|bar|none|null|undefined|true|false|required|string|token|mock|default|[0-9]+/gi;
/** Whether there is hardly a letter in a text besides such words. */
const isTrivial = (text: string): boolean =>
  /pass(?:word|wd)/i.test(text) || text.replace(TRIVIAL, '').replace(/[^A-Za-z]/g, '').length < LEAST_OWN_LETTERS;
const LEAST_OWN_LETTERS = 3;
const CLASSES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[!@#$%^&*+=?~|]/];

/** Whether a text looks like a password that somebody keeps: two kinds of characters, and no word of a setting. */
export function isPassword(text: string): boolean {
  if (text.length < 6 || text.length > 200 || isPlaceholder(text) || isReference(text) || isUuid(text)) return false;
  if (!/[A-Za-z]/.test(text) || new Set(text).size < 5) return false;
  if (isTrivial(text) && !isOpaque(text)) return false;
  if (/^[A-Za-z_$][\w$]*(?:[.:/][A-Za-z_$][\w$]*)+$/.test(text) && !isOpaque(text)) return false;
  const kinds = CLASSES.filter((kind) => kind.test(text)).length;
  return kinds >= 2 && (/[0-9]/.test(text) || /[!@#$%^&*+=?~|]/.test(text) || isOpaque(text));
}
