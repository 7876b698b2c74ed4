/** Names that say what stands beside them: a password, a secret, or only something about one. */

import { wordSet } from '../word-set.ts';
import { beginsAt } from './edges.ts';

export type NameKind = 'password' | 'secret' | 'token';

/** Keys that are kept secret, by the word before. */
const SECRET_KEYS =
  'api|access|private|encryption|signing|auth|master|preshared|subscription|functions|app|jwt|hmac|deploy|service|server|webhook|admin|license|fastly|fernet';

/** What leads to a closer look at a name; in lower case. */
export const NAME_KEYWORDS: readonly string[] = [
  ...['pass', 'pwd', 'pswd', 'psk', 'secret', 'token', 'credential', 'kennwort', 'senha', 'wachtwoord'],
  ...[
    '_auth',
    '_key',
    'api key',
    ...['=', '"', ':', "'", ' ', '\\', ']'].flatMap((next) => [`_pat${next}`, `-pat${next}`, `_pw${next}`]),
  ],
  'devopspat',
  'ext_pat',
  'extpat',
  // As files of properties have them.
  '.key',
  // Behind `_key` alone, `api_key_live` would be a key of no kind.
  ...SECRET_KEYS.split('|').flatMap((word) => [`${word}key`, `${word}-key`, `${word}_key`]),
];

/**
 * The part of a name that counts, at one place of a text: in the first group one of a password, in the second one that
 * may be secret. The third is secret for sure. `tokens` are counted, hardly ever kept.
 */
export const CORE = new RegExp(
  `(pass(?:word|wd|wort|phrase|code)|(?<=mot_de_)passe|pass(?![a-z])|pwd|pswd|_pw(?![a-z0-9_-])|psk(?![a-z0-9_])|kennwort|senha|wachtwoord)|(token(?!s(?![a-z]))|credentials?|_key(?![a-z])|_auth(?![a-z]))|(secret|[_-]pat(?![a-z])|(?<=devops)pat(?![a-z])|ext_?pat(?![a-z])|(?<=(?:${SECRET_KEYS}))\\.key(?![a-z])|(?:${SECRET_KEYS})[-_ ]?key)`,
  'iy',
);

/** The same, wherever it stands. */
const ANY_CORE = new RegExp(CORE.source, 'ig');

/** One of these is in every part that counts. */
const CORE_WORDS: readonly string[] = [
  ...['key', 'token', 'secret', 'pass', 'auth', 'pwd', 'credential'],
  ...['psk', '_pw', 'pswd', '_pat', '-pat', 'devopspat', 'extpat', 'kennwort', 'senha', 'wachtwoord'],
];

/** What follows the part that counts and makes it something about a secret: `token_type`, `passwordHash`, `secretName`. */
const AFTER = wordSet(
  'hash hashed digest checksum salt id ids uuid uid guid chars alphabet charset type types name names url urls uri path paths file files filename dir endpoint length size limit limits ' +
    'count counts expires expiry expiration ttl usage used budget max min field fields input output prompt policy pattern regex rule rules manager ' +
    'provider store scope scopes version status source env var format header headers label placeholder hint error errors message arn ref ' +
    'reset valid required enabled disabled page index list map s ' +
    'hasher hashers sha md5 commit rev revision oid address addresses encoder validator validators algorithm algo fingerprint ' +
    'encryption authentication method mechanism mgr incorrect wrong arg args at last time changed',
);
/** What stands before it and does the same: `maxTokens`, `next_page_token`, `public_key`. */
const BEFORE = wordSet(
  'max min num count total next page continuation cursor sync public publishable primary foreign sort partition cache cached idempotency lookup query ' +
    'reasoning prev previous start end stop eos bos pad special estimated remaining per hashed',
);
const WHOLE_KEY = new RegExp(`(?:secret|${SECRET_KEYS})_key$`, 'i');
/** Told by the words of a name in front of the part that counts, where it is as weak as `_KEY`; also as a line of a diff that goes. */
const STRONG_KEY = /^-?[A-Z0-9_]+$/;

/** Images name the key that signs a release so, by its fingerprint. */
const FINGERPRINT_KEY = /(?:^|[_-])(?:GPG|PGP)_KEY$/;

/** What stands in every page: the key by which a service knows the site. */
const isPublished = (words: readonly string[]): boolean => words.at(-2) === 'site' && words.at(-1) === 'key';

/** The words of a name: `maxTokens` and `MAX_TOKENS` have two. */
const wordsOf = (name: string): string[] => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [];

/**
 * What a name says of its value.
 * @param core the part of it that counts, as CORE found it
 */
export function kindOfName(before: string, core: RegExpMatchArray, after: string): NameKind | null {
  const name = before + core[0] + after;
  if (wordsOf(before).some((word) => BEFORE.has(word.toLowerCase()))) return null;
  if (wordsOf(after).some((word) => AFTER.has(word.toLowerCase()))) return null;
  const words = wordsOf(name).map((word) => word.toLowerCase());
  if (isPublished(words)) return null;
  if (/_key$/i.test(core[0]) && core[2] !== undefined) {
    // Keys are of many kinds; only one that a shell would export is likely to be secret.
    const whole = WHOLE_KEY.test(name);
    if (!whole && (!STRONG_KEY.test(name) || FINGERPRINT_KEY.test(name))) return null;
    return whole ? 'secret' : 'token';
  }
  if (core[1] !== undefined) return 'password';
  return core[3] !== undefined ||
    words.some((word) =>
      /^(?:secret|api|access|auth|refresh|bearer|bot|private|personal|vault|deploy|npm|snyk|figma|security|x)$/.test(
        word,
      ),
    )
    ? 'secret'
    : 'token';
}

/** Kinds that were found: a format has few names, and they come again and again. */
const kinds = new Map<string, NameKind | null>();
const MOST_KINDS = 2000;

/** The same for a whole name, such as a key of JSON or a variable of the environment. */
export function kindOfWholeName(name: string): NameKind | null {
  if (name.length > 80) return null;
  let kind = kinds.get(name);
  if (kind === undefined) {
    kind = kindOf(name);
    if (kinds.size < MOST_KINDS) kinds.set(name, kind);
  }
  return kind;
}

/** What one of a list is called by the name of the list: `passwords` holds some. Tokens in a list are counted or words. */
export const oneOf = (name: string): string => name.replace(/(?<!s|token)s$/i, '');

function kindOf(name: string): NameKind | null {
  // A type of CloudFormation is what something is, and no name of it.
  if (name.includes('::')) return null;
  // Most names are none, and this is quicker than the pattern.
  const lower = name.toLowerCase();
  if (!CORE_WORDS.some((word) => lower.includes(word))) return null;
  ANY_CORE.lastIndex = 0;
  for (let core = ANY_CORE.exec(name); core; core = ANY_CORE.exec(name)) {
    const { index } = core;
    if (beginsCore(name, index, core[0]))
      return kindOfName(name.slice(0, index), core, name.slice(index + core[0].length));
    ANY_CORE.lastIndex = index + 1;
  }
  return null;
}

/** `compass` and `bypass` have no password in them; `dbpassword` and `dbpass` have. */
export function beginsCore(text: string, index: number, core: string): boolean {
  if (!/^(?:pass|pwd|psk|senha)$/i.test(core) || beginsAt(text, index, 'word')) return true;
  if (core.startsWith('P') && /[a-z]/.test(text.charAt(index - 1))) return true;
  return OWNER.test(text.slice(Math.max(0, index - LONGEST_OWNER), index));
}
/** Whose password it is, written as one word with it. */
const OWNER =
  /(?:^|[^a-z]|\\[nrt]|\[[0-9;]{0,8}[mK])(?:db|user|root|admin|smtp|mail|ftp|pg|sql|mysql|ssh|ldap|sudo|key|store)$/i;
const LONGEST_OWNER = 16;
