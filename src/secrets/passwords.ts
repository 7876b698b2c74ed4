/** Recognises passwords beside their name and in the user info of a URL. */
import { remembered } from '../core/remembered.ts';
import { wordSet } from '../core/word-set.ts';
import { areRandomLetters, rarePairShare } from './random-letters.ts';
import {
  entropyOf,
  isHarmless,
  isMixed,
  isOpaque,
  isPartialUuid,
  isPlaceholder,
  isRandomAfterSign,
  isRandomUuid,
  isReference,
  isScrambled,
  isUuid,
} from './randomness.ts';

const LONGEST = 200;
/** Shorter ones are times, sizes and ids. */
const LONG_NUMBER = /^[0-9]{16,}$/;
const LEAST_ENTROPY_OF_DIGITS = 2.5;
/** Words that settings and tests use where a password belongs, and numbers. */
const TRIVIAL =
  /pass(?:word|wd|wort)?|secret|test|admin|root|user|guest|demo|sample|foo|bar|none|null|undefined|true|false|required|string|token|mock|default|anonymous|[0-9]+/gi;
/** Returns whether there is hardly a letter in a text besides such words. */
const isTrivial = (text: string): boolean =>
  /pass(?:word|wd)/i.test(text) || text.replace(TRIVIAL, '').replace(/[^A-Za-z]/g, '').length < LEAST_OWN_LETTERS;
const LEAST_OWN_LETTERS = 3;
/** Digits with a letter or two among them, as drawn hexadecimal digits often are; what people count up and what they repeat is none. */
const LETTERED_NUMBER = /^(?=(?:[0-9]*[A-Za-z]){1,2}[0-9]*$)(?!.*(?:1234|4321|(\d)\1{3}))[0-9A-Za-z]{6,}$/;
/** Shorter ones are ids of commits. */
const LEAST_LETTERED = 8;
const LEAST_DIFFERENT = 4;
/** Numbers in another base, and times. */
const WRITTEN_NUMBER = /^(?:0x|0o[0-7]+$|0b[01]+$|[0-9]{8}T[0-9]{4,6}Z?$)/i;
/** Numbers with a unit, a type or an exponent behind them, as code has them. */
const NUMBER_OF_CODE = /^[0-9]+(?:[a-z]{1,2}|(?<=^.{1,6})e[0-9]+)$/i;
const isLetteredNumber = (text: string, isText: boolean): boolean =>
  text.length >= LEAST_LETTERED &&
  LETTERED_NUMBER.test(text) &&
  new Set(text).size >= LEAST_DIFFERENT &&
  !isPlaceholder(text) &&
  !WRITTEN_NUMBER.test(text) &&
  (isText || !NUMBER_OF_CODE.test(text));
/** The next name in a list of flags: `password= scmVersion=`. */
const FLAG = /^[A-Za-z][\w.-]*=$/;
/** Names joined by dots, colons and slashes; words in small letters are names however rare their letters. */
const WORDS = /^[a-z]+(?:[./:][a-z]+[0-9]{0,2})+$/;
/** Matches the place of something: words and a number, joined by colons. */
const PLACE = /^[a-z]+(?::[a-z]+)*:[0-9]{1,12}$/;
const NAMES = /^[A-Za-z_$][\w$]*(?:[.:/][A-Za-z_$][\w$]*)+$/;
/** Returns whether what is between the signs could name something. */
const isMadeOfNames = (text: string): boolean =>
  WORDS.test(text) ||
  (rarePairShare(text) < 0.35 && !isMixed(text) && !areRandomLetters(text.replace(/[^A-Za-z]/g, '')));
/** Two words and digits, as people make them where a form asks for a sign and a number; in code it would be the member of an object. */
const PHRASE = /^([A-Za-z]{3,20})[./:]([A-Za-z]{3,20})(?:[-_$@#]{1,2}[0-9]{2,8}|[0-9]{3,8})$/;
/** Words for things in which settings, messages and values of code are kept, and kinds of them that have a number. */
const HOLDERS = wordSet(
  'config configuration conf cfg settings setting options option params param props env environment secret secrets kv vault store data ' +
    'app application api this self cls state context ctx request req response res body form forms field fields input user users account ' +
    'accounts auth login signup register common message messages msg error errors label labels text texts title titles i18n intl lang locale ' +
    'translation translations validation validators rules schema schemas model models view views page pages component components module ' +
    'modules fixture fixtures constants const values value vars var variables local global package lib src dist assets static public ' +
    'path paths file files home http https ssh ftp smtp imap ldap redis mongo mysql postgres sql db database docker image',
);
const NUMBERED = wordSet(
  'sha md rsa aes des crc base utf iso win int uint float bit bits arm armv ipv oauth hmac level type version',
);
/** Returns whether two words and digits are no name of anything, if they are as a text. */
function isPhrase(text: string): boolean {
  const [, first = '', second = ''] = PHRASE.exec(text) ?? [];
  return second !== '' && !HOLDERS.has(first.toLowerCase()) && !NUMBERED.has(second.toLowerCase());
}
/** Without a sign or two among its letters; a line below joins the words of a name, unless chance made them. */
const withoutSign = (text: string): string =>
  text.replace(rarePairShare(text) >= 0.3 ? SIGN_AMONG : SIGN_BUT_LINE, '').replace(SIGN_BUT_LINE, '');
const SIGN_AMONG = /[^A-Za-z]/;
const SIGN_BUT_LINE = /[^A-Za-z_]/;
/** A piece of a pattern: a group, another word that it takes. */
const PATTERN = /\(\?[:=!<]|^\|[a-z]{2,}$/;
const CLASSES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[!@#$%^&*+=?~|]/];

/**
 * Checks if a text looks like a password that somebody keeps: two kinds of characters, and no word of a setting.
 * @param isText it is if no code can
 */
export const isPassword = (written: string, isText = false): boolean =>
  (isText ? isPasswordOfText : isPasswordOfCode)(written);
const isPasswordOfText = remembered((written) => looksKept(written, true));
const isPasswordOfCode = remembered((written) => looksKept(written, false));

function looksKept(written: string, isText: boolean): boolean {
  // A letter beyond ASCII has digits and signs in it where JSON escapes it.
  const text = written.replace(/\\{1,31}u([0-9A-Fa-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (text.length > LONGEST) return isOpaque(text);
  if (isLetteredNumber(text, isText)) return true;
  // Base64 ends as such a name does.
  if (text.length < 6 || new Set(text).size < 5 || (FLAG.test(text) && !isOpaque(text))) return false;
  if (isPlaceholder(text) || isHarmless(text)) return false;
  if (isUuid(text)) return isRandomUuid(text);
  if (isScrambled(text)) return true;
  if (isReference(text) || PATTERN.test(text)) return false;
  if (!/[A-Za-z]/.test(text)) return LONG_NUMBER.test(text) && entropyOf(text) >= LEAST_ENTROPY_OF_DIGITS;
  if ((isTrivial(text) || PLACE.test(text)) && !isOpaque(text)) return false;
  if (NAMES.test(text) && isMadeOfNames(text) && !isOpaque(text)) return isText && isPhrase(text);
  const kinds = CLASSES.filter((kind) => kind.test(text)).length;
  return (kinds >= 2 && /[0-9!@#$%^&*+=?~|]/.test(text)) || areRandomLetters(withoutSign(text));
}

/**
 * Checks if what is at the end of a text that continues may become a password.
 * @param isClose no blank is between it and its sign: small letters after one are a word of a sentence, or a type
 */
export function mayBecomePassword(text: string, isClose: boolean): boolean {
  if (isPartialUuid(text)) return true;
  if (isPlaceholder(text) || isReference(text) || (isTrivial(text) && !mayBecomeNumber(text))) return false;
  return isClose || !/^[a-z]+$/.test(text);
}

/** Returns whether a text may become digits with a letter or two among them. */
export const mayBecomeNumber = (text: string): boolean => PARTIAL_NUMBER.test(text);
const PARTIAL_NUMBER = /^(?=.{4})(?:[0-9]*[A-Za-z]){1,2}[0-9]*$/;

/** More of such words, if anything else would be a password. */
const NOT_IN_PLACE =
  /dev(?:elopment)?|local|postgres(?:ql)?|mysql|mariadb|redis|mongo(?:db)?|rabbit(?:mq)?|my|your|some|name|key|api|access|personal|app|auth|abc|xyz|port|x{3,}/gi;
/** Variables, formats, parts of patterns. */
const FILLED_IN = /^(?:\$[\w{(]|%[a-z@]$|%[({]|:?(?:\.(?![a-z0-9])|[([])|:[A-Za-z_])/i;
/** Matches a value that a template takes from an object: words behind dots. */
const MEMBER = /^:?(?:\.[A-Za-z]?[a-z]+(?:[A-Z][a-z]{2,})*)+$/;
/** An account of Oracle's that every book shows. */
const TIGER = /^tiger$/i;
/** Matches a repository's address of CVS, with a user behind it; and Git's words in the place of a password where the user is a token. */
const NO_PLACE = /^(?:(?:pserver|gserver|kserver|ext|fork|local):[^:]*|x-oauth-basic|x-oauth)$/;

/**
 * Checks if what is in the place of a password is one: anything is that is no placeholder.
 * @param user who is before it; a test gives both the same name
 */
export const isPlacedPassword = (text: string, user: string): boolean =>
  text.length <= LONGEST && isPlacedFor(`${user}\n${text}`);
const isPlacedFor = remembered((both) => {
  const end = both.indexOf('\n');
  return isPlacedOf(both.slice(end + 1), both.slice(0, end));
});

function isPlacedOf(text: string, user: string): boolean {
  if (
    isPlaceholder(text) ||
    isReference(text) ||
    ((FILLED_IN.test(text) || MEMBER.test(text)) && !isRandomAfterSign(text))
  )
    return false;
  if (TIGER.test(text) || NO_PLACE.test(text) || text.toLowerCase() === user.toLowerCase()) return false;
  // `PERSONAL_ACCESS_TOKEN` is to be filled in.
  if (/^[A-Z_]+$/.test(text) && rarePairShare(text) < 0.35) return false;
  if (/^[0-9]+$/.test(text)) return text.length >= LEAST_DIGITS && !/^(\d)\1*$|123456|654321/.test(text);
  if (LETTERED_NUMBER.test(text)) return true;
  let own = text;
  for (const word of user.match(/[A-Za-z]{3,}/g) ?? []) own = own.replaceAll(word, '');
  return isOpaque(text) || !isTrivial(own.replace(NOT_IN_PLACE, ''));
}
const LEAST_DIGITS = 6;
