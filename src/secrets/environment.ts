/** Collects values of sensitive environment variables, and the ways in which a value may be written. */
import { kindOfWholeName } from './name-kinds.ts';
import { isOpaque, isReference } from './randomness.ts';

const SHORTEST = 8;
const LONGEST = 4096;
/** A URL has its password between a colon and an at sign. */
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{4,200})@/i;

/**
 * Returns the values of an environment that must not be written: those of variables with a sensitive name, and passwords in URLs.
 * Short values, paths, words of settings and small numbers are left out, since they would be found everywhere.
 */
export function sensitiveValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const [name, raw] of Object.entries(environment)) {
    const value = raw?.trim() ?? '';
    if (value.length < SHORTEST || value.length > LONGEST) continue;
    const password = value.includes('://') ? URL_PASSWORD.exec(value)?.[1] : undefined;
    if (password !== undefined && isTelling(password)) values.add(password);
    const strength = strengthOf(name);
    if (strength !== 'none' && isTelling(value) && (strength === 'strong' || isMixed(value))) values.add(value);
  }
  return [...values];
}

/** Words that make a name sensitive by themselves, also at the end of others, as in `PGPASSWORD`. */
const STRONG =
  /(?:^|[_\W])(?:(?:[A-Z]*PASS(?:WORD|WD|PHRASE|CODE)|PASS|PWD|SECRETS?|TOKEN|CREDENTIALS?)(?![A-Z])|[A-Z]*(?:API|ACCESS|PRIVATE|ENCRYPTION|SIGNING|AUTH|MASTER)[-_]?KEY(?![A-Z]))/i;
/** Short words that make a name sensitive at its end: `GITHUB_PAT`, `STRIPE_SK`. */
const SHORT = ['_PAT', '_SK', '_CREDS'];
const SHORT_NAME = /^(?:[A-Z0-9]+_)+(?:PAT|SK|CREDS)$/;

/** Rates how clearly the name of a variable says that its value is secret. */
function strengthOf(name: string): 'strong' | 'weak' | 'none' {
  // The current and the previous folder of a shell.
  if (name === 'PWD' || name === 'OLDPWD') return 'none';
  if (SHORT.some((word) => name.endsWith(word)) && SHORT_NAME.test(name)) return 'strong';
  // A name about a secret, such as its length or its age, has no kind.
  const kind = kindOfWholeName(name);
  if (kind === null) return 'none';
  return STRONG.test(name) || (kind !== 'token' && kind !== 'key') ? 'strong' : 'weak';
}

/** Words of settings, and placeholders. */
const WORD =
  /^(?:disabled|enabled|production|development|staging|testing|required|optional|undefined|anonymous|passwords?|secrets?|credentials?|unlimited|automatic|keychain|keyring|external|internal|standard|localhost|interactive|environment|default|inherited|encrypted|plaintext|(?:in)?secure|placeholder|redacted|username|postgres|postgresql|administrator)$/i;
const STAND_IN =
  /example|placeholder|change[-_]?me|change[-_]?this|redacted|(?<![a-z0-9])your[-_ ]|\*\*\*|\.\.\.|x{4}|^[<{$%].*[>}%]$|(.)\1{5}/i;
const RELATIVE_PATH = /^[\w.@-]+(?:[/\\][\w.@-]+)+\.[A-Za-z]{1,5}$/;
/** A glob pattern. */
const GLOB = /^\S*\*\.[\w*]+$/;
/** Matches the beginning of a text that is no reference: a shell has replaced the variable. */
const PLAIN = /^(?:\(|\$[A-Za-z]*[a-z0-9]|\{(?![^}]*\}))/;
/** Beginnings of paths and patterns, and of random texts by chance. */
const LIKE_PATHS = /^[./~!\\]{1,3}/;
const IN_FOLDER = /^[./~]{0,3}[a-z]+\//;
/** Shorter numbers are sizes, ports, times. */
const NUMBER = /^[0-9.,:_-]{1,11}$/;

/** Checks whether a value could be a secret: it would hardly occur by chance. */
function isTelling(value: string): boolean {
  if (value.length < SHORTEST || WORD.test(value) || NUMBER.test(value) || STAND_IN.test(value)) return false;
  const isDrawn = !IN_FOLDER.test(value) && isOpaque(value.replace(LIKE_PATHS, ''));
  if (isReference(value) && !PLAIN.test(value) && !isDrawn) return false;
  return (isDrawn || (!GLOB.test(value) && !RELATIVE_PATH.test(value))) && new Set(value).size >= 4;
}

/** Checks whether a value is more than a word. */
const isMixed = (value: string): boolean =>
  isOpaque(value) || (new Set(value).size >= 5 && /[0-9]/.test(value) && /[A-Za-z]/.test(value));

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Returns the ways to write a value: plain, in JSON, in JSON within JSON, in a URL, as a URL and in a form; each once. */
export function waysToWrite(value: string): string[] {
  const once = escaped(value);
  const plain = value.toWellFormed();
  const form = new URLSearchParams([['', plain]]).toString().slice(1);
  const ways = [value, once, escaped(once), encodeURIComponent(plain), encodeURI(plain), form];
  return [...new Set(ways)].filter((way) => way.length >= SHORTEST && way.length <= 2 * LONGEST);
}
