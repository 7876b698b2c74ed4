/** Defines the checks that rules name: what a pattern alone cannot decide about a secret. */
import { isBetweenStrings } from './between-strings.ts';
import { isPassword, isPlacedPassword } from './passwords.ts';
import { areRandomLetters } from './random-letters.ts';
import { changesOften, entropyOf, isHarmless, isOpaque, isPlaceholder, isUuid } from './randomness.ts';
import type { CheckName } from './rule.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Computes a CRC-32 bit by bit: a table would cost more than it saves for thirty characters. */
export function crc32(text: string): number {
  let value = 0xffff_ffff;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  }
  return ~value >>> 0;
}

/** Returns the checksum in six characters, padded with zeros. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let place = 0; place < 6; place++) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Checks a token of the form `xxx_`, 30 characters and a checksum of 6. */
export function hasChecksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1);
  return body.length === 36 && checksumOf(body.slice(0, 30)) === body.slice(30);
}

/** The secret that a check may look at, and its place. */
export interface Candidate {
  readonly text: string;
  /** If the match begins, and in it the secret. */
  readonly start: number;
  readonly at: number;
  readonly secret: string;
}

/** A header of a signed token is JSON that names its algorithm. One that no text comes of was made up, or torn: all its parts must look random, then. */
function isJwt(token: string): boolean {
  const parts = token.split('.');
  const header = Buffer.from(parts[0] ?? '', 'base64url').toString();
  return (
    header.includes('"alg"') ||
    (!TEXT.test(header) && parts.every((part) => part.length >= LEAST_PART && isOpaque(part)))
  );
}
const LEAST_PART = 20;

/**
 * Checks if a value is that of a Basic header: a user, a colon, and a password that is not empty; or a key as the user, as some services have it.
 * Words that are taken for base64 give no text. What follows the colon is judged as in a URL, but if it is longer than anything that is typed.
 */
function isBasic(value: string): boolean {
  const decoded = Buffer.from(value, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0 || !TEXT.test(decoded) || decoded.length - colon <= LEAST_BEHIND_COLON || isPlaceholder(decoded))
    return false;
  const user = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  return password.length > LONGEST_TYPED || isOpaque(user) || isPlacedPassword(password, user);
}
const LEAST_BEHIND_COLON = 4;
const LONGEST_TYPED = 200;
const TEXT = /^(?:[ -~]|(?!\ufffd)[^\0-\x9f])+$/;

/** This many characters distinguish a private key from a certificate. */
const LONGEST_HEADING = 80;
const isEncodedKey = (value: string): boolean =>
  / PRIVATE KEY|"service_account"/.test(Buffer.from(value.slice(0, LONGEST_HEADING), 'base64').toString('latin1'));

/** Checks for the number of a Discord account. */
const isDiscord = (token: string): boolean =>
  /^[0-9]{17,20}$/.test(Buffer.from(token.split('.', 1)[0] ?? '', 'base64').toString('latin1'));

/** Checks a Telegram token: it begins with two `A`, or is random without its separators. */
const isTelegram = (secret: string): boolean => secret.startsWith('AA') || isOpaque(secret.replace(/[-_]/g, ''));

/** The command may also be the beginning of the match. */
const CURL = /(?:curl|wget|https?|etcdctl)\b[ -~]{0,400}$/;
const LONGEST_COMMAND = 'https '.length;

/** Checks for random letters, after the prefix of a vendor or as a whole. */
const hasRandomLetters = (secret: string): boolean => secret.split(/[^A-Za-z]/).some(areRandomLetters);

/** Returns the user before a password. */
const userBefore = ({ text, start, at }: Candidate): string => USER.exec(text.slice(start, at))?.[1] ?? '';
const USER = /(?:\/\/|%2f%2f|thin:|login[ \t]{1,4})([^\s/:\\]{0,100}?)(?:[:/\\\s]|%3a)[\s\S]{0,40}$/i;

/** Checks whether text after a semicolon may be a statement: it is none after another setting of a connection string. */
const isInCode = (text: string, start: number): boolean =>
  text.charAt(start) === ';' && !SETTING_BEFORE.test(text.slice(Math.max(0, start - LONGEST_SETTING), start));
const SETTING_BEFORE =
  /(?:server|source|host|address|endpoint|user(?:[ _]?id|name)?|uid|database|catalog|port|driver|encrypt)[ \t]{0,4}=[^;=\r\n]{1,80}$/i;
const LONGEST_SETTING = 110;

const QUOTE_BEFORE = /\\{0,31}["'`]$/;

/** A common name; alone, it counts only in a cookie header. */
const COMMON_COOKIE = /(?:(?<!_)session| sid| auth)=/iy;
const isCommonCookie = (text: string, start: number): boolean => {
  COMMON_COOKIE.lastIndex = start;
  return COMMON_COOKIE.test(text);
};
const COOKIES = /(?:cookie["'\\]{0,32}[:=,]|curl [ -~]{0,200}-(?:b|-cookie) )[ -~]{0,400}$/i;

/** Checks whether a secret is at most two lines after an id, and is random as no path is. */
const isBesideId = ({ text, start, at, secret }: Candidate): boolean =>
  changesOften(secret) && (text.slice(start, at).match(LINE_END)?.length ?? 0) <= MOST_LINE_ENDS;
const LINE_END = /\n|\\n/g;
const MOST_LINE_ENDS = 2;

export const CHECKS: Readonly<Record<CheckName, (candidate: Candidate) => boolean>> = {
  // A token with a wrong checksum may be mistyped or of another vendor: then it must look random.
  checksum: ({ secret }) => hasChecksum(secret) || (/[0-9]/.test(secret) && entropyOf(secret) >= 3.5),
  random: ({ secret }) => /[0-9]/.test(secret) || changesOften(secret) || hasRandomLetters(secret),
  mixed: ({ secret }) => /[a-z]/.test(secret) && /[A-Z]/.test(secret),
  jwt: ({ secret }) => isJwt(secret),
  basic: ({ secret }) => isBasic(secret),
  opaque: ({ secret }) => isOpaque(secret) && !isHarmless(secret),
  'no-uuid': ({ secret }) => !isUuid(secret),
  password: ({ text, start, at, secret }) =>
    isPassword(secret, !isInCode(text, start)) &&
    !isBetweenStrings(text, start, QUOTE_BEFORE.exec(text.slice(start, at))?.[0] ?? '', secret),
  placed: (candidate) => isPlacedPassword(candidate.secret, userBefore(candidate)),
  cookie: ({ text, start }) =>
    !isCommonCookie(text, start) || COOKIES.test(text.slice(Math.max(0, start - 420), start)),
  telegram: ({ secret }) => isTelegram(secret),
  discord: ({ secret }) => isDiscord(secret),
  'beside-id': isBesideId,
  'encoded-key': ({ secret }) => isEncodedKey(secret),
  curl: ({ text, start }) => CURL.test(text.slice(Math.max(0, start - 420), start + LONGEST_COMMAND)),
};
