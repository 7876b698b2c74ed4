/** Recognises the look of a secret: its entropy, its randomness, and placeholders that only look like one. */

import { remembered } from '../core/remembered.ts';
import { isExample, withoutStandIns } from './placeholders.ts';
import { areRandomLetters, areSurelyRandomLetters, rarePairShare } from './random-letters.ts';

/** The number of times that each ASCII character is in a text; all are 0 between two counts. */
const counts = new Uint16Array(128);

/** Shannon entropy in bits a character; of long texts, of their first 512 characters. What is not ASCII counts as something of it. */
export const entropyOf = remembered((text) => {
  const length = Math.min(text.length, 512);
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index) & 127;
    counts[code] = (counts[code] as number) + 1;
  }
  let bits = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index) & 127;
    const count = counts[code] as number;
    counts[code] = 0;
    if (count > 0) bits -= (count / length) * Math.log2(count / length);
  }
  return bits;
});

/** Matches text that is filled in later, or lies elsewhere: variables, templates, expressions, references. */
const REFERENCE =
  /^(?:projects\/[\w-]{1,60}\/secrets\/|\$\{|\$\(|%[A-Za-z_]{1,60}%|\{[^}]*\}|\{[{%]|<[^>]*>|#\{|process\.|os\.|env[.:]|secrets?\.|vault:|op:|arn:|ssm:|keyring:|secretref:|ref\+|sha(?:1|256|384|512)[-:]|file:|https?:|\.{1,2}\/|@[A-Za-z_]\w{0,60}@$|!{1,2}[a-z_$][\w$]{0,40}[.([]|!{1,2}(?:vault|secret|encrypted|ref|sub|getatt|importvalue|join|reference|env|env_var|include|file|ssm|binary|str)(?![a-z0-9]))|:\/\//i;
/** The same, if no machine has drawn what follows the sign: a variable, the beginning of a tag, a template or an expression, a decorator, a path. */
const MAYBE_REFERENCE = /^(?:\$[A-Za-z_]|\{|<|\(|@[A-Z_]|~?\.{0,2}\/[A-Za-z0-9_.@-]*(?:\/|$)|[A-Za-z]:\\)/i;

export const isReference = (text: string): boolean =>
  REFERENCE.test(text) || (MAYBE_REFERENCE.test(text) && !isRandomAfterSign(text));

/** Returns whether a text that begins as a variable does was drawn all the same: one that could be a name is long, then. */
export const isRandomAfterSign = (text: string): boolean => isRandomText(/^\$\w+$/.test(text) ? text.slice(1) : text);

/** Letters, digits and a sign among or behind them, as people make them where a form asks for all three. */
const SIGNED_WORD =
  /^(?=.{8,40}$)(?!.*%[0-9A-Fa-f]{2})(?=[^0-9]*[0-9])[A-Za-z][A-Za-z0-9_-]*[!@#$%^]{1,3}[A-Za-z0-9_-]*$/;
/** The same of all four kinds of characters, wherever the signs are; some of these are also those of a type or a pattern. */
const MIXED_WORD =
  /^(?=.{8,40}$)(?!.*%[0-9A-Fa-f]{2})(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z][\w-]*[!@#$%^*?][\w!@#$%^*?-]*$/;
/** @param isClose it is in quotes or right behind its sign, as no type does */
export const isSignedWord = (text: string, isClose: boolean): boolean =>
  (SIGNED_WORD.test(text) || (isClose && MIXED_WORD.test(text))) && !isPlaceholder(text);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);
const PARTIAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{0,4}(?:-[0-9a-f-]{0,21})?$/;
/** The beginning of one. */
export const isPartialUuid = (text: string): boolean => PARTIAL_UUID.test(text);
/** One that was drawn, and is no row of noughts. */
export const isRandomUuid = (text: string): boolean => isUuid(text) && !isPlaceholder(text) && entropyOf(text) >= 2.8;

/** Hashes of passwords as crypt, Django, Werkzeug, PostgreSQL and their like write them, addresses on a chain, lines of `/etc/passwd`,
 * keys that Stripe and Mapbox give to be published, versions, tags of images with a digest, names of ciphers, and patterns and rules that a password, or what is said of one, must match. */
const NO_SECRET =
  /^(?:\$(?:2[abxy]?|argon2(?:id?|d)|pbkdf2[a-z0-9-]{0,12}|scrypt|bcrypt[a-z0-9-]{0,12}|[156y]|7|apr1)\$|(?:pbkdf2|scrypt|bcrypt|argon2|sha1|sha256|sha512|md5)(?:[_:][a-z0-9:_]{1,30})?\$|md5[0-9a-f]{32}$|scram-sha-(?:1|256)\$[0-9]{1,7}:[\w+/=]{8,64}\$[\w+/=]{8,100}:[\w+/=]{8,100}$|[\w.-]{1,128}@sha256:[0-9a-f]{64}$|(?:aes|des|rsa|chacha20|blowfish)[\w-]{0,24}\/(?:[\w-]{1,10}\/)?[\w-]{2,40}padding$|0x[0-9a-f]{40}$|pk_(?:live|test)_|pk\.eyJ|[~^v]{0,2}[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}[-+][0-9A-Za-z.+-]{0,60}$|[x*!]:[0-9]{1,10}:[0-9]{1,10}:|\^.*\$$|\*(?:[a-z]{1,30}\*){2,20}[a-z]{0,30}$|(?:[a-z_]{2,20}(?::[\w,.]{1,40})?\|){1,12}[a-z_]{2,20}(?::[\w,.]{1,40})?$)/i;

/** Returns whether a text has the shape of something that is beside such names and is no secret. */
export const isHarmless = (text: string): boolean => NO_SECRET.test(text) || PUBLIC_POINT.test(text);
/** A point of P-256 as it is, 65 bytes that begin with 4 (SEC 1, 2.3.3): the key by which a browser knows who pushes to it. */
const PUBLIC_POINT = /^B[A-P][\w-]{85}=?$/;

const kindOf = (code: number): number =>
  code >= 97 && code <= 122 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;

/** Returns how many characters in a row are of one kind (lower, upper, digit) on average: 1.6 where random, over 3 in words. */
export function meanRun(text: string): number {
  let runs = 1;
  for (let index = 1; index < text.length; index++) {
    if (kindOf(text.charCodeAt(index)) !== kindOf(text.charCodeAt(index - 1))) runs++;
  }
  return text.length / runs;
}

/** Returns whether letters change between small and large more often than in words. */
export const changesOften = (text: string): boolean => /[a-z]/.test(text) && /[A-Z]/.test(text) && meanRun(text) <= 2.5;

const LEAST_MIXED = 8;
/** Words with numbers behind or between them have 2.2 and more. */
const MOST_MIXED_RUN = 1.9;

/** Returns whether letters of both cases and digits alternate as often as in random text, whatever signs are among them. */
export function isMixed(text: string): boolean {
  const letters = text.replace(/[^A-Za-z0-9]/g, '');
  return (
    letters.length >= LEAST_MIXED &&
    /[a-z]/.test(letters) &&
    /[A-Z]/.test(letters) &&
    /[0-9]/.test(letters) &&
    meanRun(letters) <= MOST_MIXED_RUN
  );
}

/** Fewer letters without a digit among them must be sure to be drawn: a name has as many. */
const LEAST_LETTERS = 16;

/** Hexadecimal digits: of ten of these six are digits, which are side by side more often. */
const HEX = /^[0-9a-f]{16,}$/;

/** A stretch of letters and digits that no person would name something. */
function isRandom(chunk: string): boolean {
  if (chunk.length < 8) return false;
  // A number at the end belongs to a name as well: `password2`.
  const name = chunk.replace(/[0-9]{1,4}$/, '');
  if (!/[A-Za-z]/.test(name)) return false;
  if (!/[0-9]/.test(name))
    return name.length >= LEAST_LETTERS
      ? areRandomLetters(name)
      : name.length >= OPAQUE_LENGTH && areSurelyRandomLetters(name);
  if (entropyOf(chunk) < 2.2) return false;
  const run = meanRun(chunk);
  const share = rarePairShare(chunk);
  // Words with a number between them are a name, however many; of a thousand keys one is taken for that.
  if (run > 2.1 && share < 0.25 && /[a-z]{4}/.test(chunk) && /[A-Z]/.test(chunk)) return false;
  return run <= (chunk.length < 24 && !HEX.test(chunk) ? 3.4 : 5.5) || (chunk.length >= 24 && share >= 0.35);
}

const LEAST_DRAWN = 14;
/** With one of the signs that passwords have, and code and names have not. */
const LEAST_SIGNED = 9;
const PASSWORD_SIGN = /[!@#$%^*~]/;
/** Signs that join the words of names, paths and times. */
const JOINTS = /[-./:_]/g;
const ANY_SIGN = /[!#$%&()*+,;<=>?@[\]^{|}~]/;

/** Letters and digits among signs, that change as often as this, no person has put together. */
const DRAWN_RUN = 1.6;
const LEAST_DRAWN_LETTERS = 9;
/** Nothing else is in what keys and passwords with signs are made of. */
const OF_SIGNS = /^[A-Za-z0-9!#%*_@^?$&+~-]{12,64}$/;

/** Returns whether what is among the signs of a text was drawn: letters that are in no name, or letters and digits by turns. */
function hasDrawnLetters(whole: string, isOfPasswords: boolean): boolean {
  if (!OF_SIGNS.test(whole)) return false;
  const letters = whole.replace(/[^A-Za-z]/g, '');
  if (isOfPasswords && letters.length >= LEAST_DRAWN_LETTERS && areSurelyRandomLetters(letters)) return true;
  const plain = whole.replace(/[^A-Za-z0-9]/g, '');
  return isMixed(plain) && meanRun(plain) <= DRAWN_RUN && entropyOf(plain) >= LEAST_ENTROPY;
}

/**
 * Checks if a whole text was drawn by a machine, signs and all: of three kinds of characters at least, which hardly ever are
 * side by side, and of letters that follow each other in no word.
 */
function isRandomText(whole: string): boolean {
  const isOfPasswords = PASSWORD_SIGN.test(whole);
  const least = isOfPasswords ? LEAST_SIGNED : LEAST_DRAWN;
  if (whole.length < least || CODE.test(whole)) return false;
  if (hasDrawnLetters(whole, isOfPasswords)) return true;
  const text = whole.replace(JOINTS, '');
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, ANY_SIGN].filter((kind) => kind.test(text)).length;
  const isSigned = new Set(text.match(STRONG_SIGNS)).size >= 2;
  if (text.length < least || kinds < 3 || !(/[0-9]/.test(text) || isSigned)) return false;
  const run = meanRun(text);
  // If letters hardly ever are side by side, their pairs say little.
  const isMixed = run <= 1.6 && kinds === 4 && PASSWORD_SIGN.test(text);
  return (isMixed || (run <= 2 && rarePairShare(whole) >= 0.2)) && entropyOf(text) >= 3;
}

const LEAST_SCRAMBLED = 20;
/** Signs that keys drawn from all signs have, and paths, versions and base64 have not. */
const STRONG_SIGNS = /[!#$%^&*()[\]{}<>?|;`]/g;
const SIGNS = /[^A-Za-z0-9]/g;
/** Expressions, templates and patterns. */
const CODE = /\$\{\w+(?:\}|:?[-=?+])|\{\{\w+\}|\w:\/\/\w|\[\^?[A-Za-z0-9]-[A-Za-z0-9]|\\[dswbDSWB]|\(\?[=!:<]/;

/** `django-insecure-`. */
const WORDS_BEFORE = /^(?:[a-z]{3,12}-){1,3}/;

/**
 * Returns whether letters, digits and signs of many kinds are mixed as only a machine does it: the keys of Django and WordPress.
 */
export function isScrambled(whole: string): boolean {
  const text = whole.replace(WORDS_BEFORE, '');
  if (text.length < LEAST_SCRAMBLED || /\s/.test(text) || CODE.test(text)) return false;
  if (new Set(text.match(STRONG_SIGNS)).size < 2 || new Set(text.match(SIGNS)).size < 4) return false;
  if (!/[a-z]/i.test(text) || !/[0-9]/.test(text)) return false;
  const run = meanRun(text);
  // If letters hardly ever are side by side, their pairs say little.
  return (run <= 1.9 || (run <= 2.4 && rarePairShare(text) >= 0.2)) && entropyOf(text) >= 3.8;
}

/** Names joined by dots, which lead to a text or a setting: `settings.secrets.rotateEvery90d`. */
const DOTTED = /^[a-z][A-Za-z]{2,}(?:\.[A-Za-z][A-Za-z0-9]{1,40}){1,8}$/;
/** Names are made of words, and have few digits. */
const isDottedName = (whole: string): boolean => {
  const text = whole.replace(ALGORITHM, 'key');
  return DOTTED.test(text) && text.split('.').every(isNamePart) && rarePairShare(text) < 0.35;
};
const ALGORITHM = /ed25519|x25519|ed448|sha[0-9]{1,3}|rsa[0-9]{4}|aes[0-9]{3}|base64/gi;
const isNamePart = (part: string): boolean =>
  meanRun(part) >= 2.2 && 4 * (part.match(/[0-9]/g)?.length ?? 0) <= part.length;
/** Least characters of randomness in an opaque text, and least bits of each. */
const OPAQUE_LENGTH = 12;
const LEAST_ENTROPY = 3;
const LEAST_ENTROPY_OF_HEX = 2.5;
/** So much of a long text says what it is. */
const MOST_LOOKED_AT = 160;

/** Returns whether a text looks like a key or token: made by a machine to be unguessable, and not by a person to be read. */
export function isOpaque(whole: string): boolean {
  return looksOpaque(whole.length < MOST_LOOKED_AT ? whole : whole.slice(0, MOST_LOOKED_AT));
}

/** It is asked for more than once, and again for each part of a name that counts. */
const looksOpaque = remembered((text) => {
  // Whatever a key looks like, it has this: seen first, it spares most of the work in a text made to be slow.
  const entropy = entropyOf(text);
  if (entropy < LEAST_ENTROPY_OF_HEX || (entropy < LEAST_ENTROPY && !HEX.test(text))) return false;
  if (isPlaceholder(text) || (text.length < OPAQUE_LENGTH && !isRandomText(text))) return false;
  if (isScrambled(text)) return true;
  if (isReference(text) || isDottedName(text)) return false;
  if (isRandomText(text)) return true;
  return randomIn(text) >= OPAQUE_LENGTH;
});

/** Returns how many characters of a text are in stretches that no person would name something. */
function randomIn(text: string): number {
  let random = 0;
  for (const chunk of text.split(/[^A-Za-z0-9]+/)) if (isRandom(chunk)) random += chunk.length;
  return random;
}

/**
 * Checks if a text is only in the place of a secret. Chance puts a short row or word of those that say so into a key as well, and the
 * numbers before its secret part may be made up: where what is left is random, it is a key all the same.
 */
export const isPlaceholder = remembered((text) => {
  if (isExample(text)) return true;
  const left = withoutStandIns(text);
  return left !== null && randomIn(left) < OPAQUE_LENGTH && !isScrambled(left);
});

/** Fewer characters of a key, with the sign before them, say nobody much. */
const LEAST_PARTIAL_KEY = 10;
const LEAST_PARTIAL_BODY = 6;
/** Behind a sign so long as to be one by itself. */
const LONG_SIGN = 16;
const LEAST_BEHIND_LONG_SIGN = 3;
/** Behind one of four, such as `AKIA`, capitals are no word. */
const SURE_SIGN = 4;

/**
 * Checks if what is at the end of a text that continues already begins like a key.
 * @param sign how many characters of the sign of its maker are in front of it
 */
export function mayBecomeKey(body: string, sign: number): boolean {
  if (
    body.length < (sign < LONG_SIGN ? LEAST_PARTIAL_BODY : LEAST_BEHIND_LONG_SIGN) ||
    (sign > 0 && sign + body.length < LEAST_PARTIAL_KEY)
  )
    return false;
  if (isPlaceholder(body) || isReference(body)) return false;
  if (sign >= LONG_SIGN || (sign >= SURE_SIGN && /^[A-Z]+$/.test(body))) return true;
  if (/[0-9]/.test(body)) return sign > 0 || /[A-Za-z]/.test(body);
  return changesOften(body) || areRandomLetters(body);
}
