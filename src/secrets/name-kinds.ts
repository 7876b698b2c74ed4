/** Classifies names by what is beside them: a password, a secret, or only something about one. */

import { remembered } from '../core/remembered.ts';
import { wordSet } from '../core/word-set.ts';
import { beginsAt } from './word-boundaries.ts';

/** Kinds of names: a `key` may be one of many things, and counts only if its value could hardly be anything else. */
export type NameKind = 'password' | 'secret' | 'token' | 'key';

/** Keys that are kept secret, by the word before. */
export const SECRET_KEYS =
  'api|access|private|encryption|decryption|aes|signing|auth|master|preshared|subscription|functions|app|jwt|hmac|deploy|service|server|webhook|admin|license|fastly|fernet|sas';

/** Services: `openai_key` may hold a secret, `cache_key` and `storageKey` do not. */
const KEYS_OF = wordSet(
  'openai anthropic claude gemini google mistral cohere groq deepseek openrouter perplexity pinecone qdrant weaviate tavily serper serpapi ' +
    'elevenlabs deepgram replicate azure cosmos eventhub servicebus cognitive aws stripe paypal square shopify twilio sendgrid ' +
    'mailgun mailchimp postmark resend algolia elastic meilisearch typesense datadog sentry segment mixpanel amplitude supabase firebase ' +
    'cloudflare heroku slack discord github gitlab',
);
/** Of a header. */
const HEADER_KEY = /^dd-application-$/i;
const isKeyOf = (before: string): boolean =>
  HEADER_KEY.test(before) || wordsOf(before).some((word) => KEYS_OF.has(word.toLowerCase()));

/** The part of a name that counts, as it is written, and whether it says a password, a secret for sure, or maybe one: tokens are counted, hardly ever kept. */
interface Core {
  readonly text: string;
  readonly says: 'password' | 'maybe' | 'secret';
}

type Cores = Readonly<Record<Core['says'], readonly string[]>>;

/** Patterns of such parts by the character that they begin with: all in one would cost a hook more to compile than all else here. */
const CORES: Readonly<Record<string, Partial<Cores>>> = {
  p: {
    password: ['pass(?:word|wd|wort|phrase|code)', '(?<=mot_de_)passe', 'pass(?![a-z])', 'pwd|pswd|psk(?![a-z0-9_])'],
    maybe: ['(?<!devops)pat(?![a-z0-9_-])'],
    secret: ['(?<=devops)pat(?![a-z])'],
  },
  j: { maybe: ['jwt(?![a-z0-9_-])'] },
  k: { password: ['kennwort'], maybe: ['key(?![a-z0-9_-])'] },
  w: { password: ['wachtwoord'] },
  t: { maybe: ['token(?!s(?![a-z]))'] },
  c: { password: ['contrasena'], maybe: ['credentials?'] },
  s: { password: ['senha'], secret: ['secret(?: key(?![a-z0-9_-]))?'] },
  e: { secret: ['ext_?pat(?![a-z])'] },
  _: { password: ['_pw(?![a-z0-9_-])'], maybe: ['_(?:key|auth)(?![a-z])'], secret: ['_pat(?![a-z])'] },
  '-': { secret: ['-pat(?![a-z])'] },
  '.': { secret: [`(?<=(?:${SECRET_KEYS}))\\.key(?![a-z])`] },
};

/** A pattern for letters of either case. V8 asks ICU what a letter is at the first pattern that says so by its flag: a third of all that these cost. */
const anyCase = (source: string): string =>
  source.replace(/\[[a-z0-9_-]+\]|\\.|[a-z]/g, (part) => {
    if (part.startsWith('[')) return part.replace('a-z', 'A-Za-z');
    return part.length === 1 ? `[${part.toUpperCase()}${part}]` : part;
  });

/** Those that begin with a character, made when the first of them is looked for; null if none does. */
const coresBy = new Map<string, RegExp | null>();

function coresFor(first: string): RegExp | null {
  const known = coresBy.get(first);
  if (known !== undefined) return known;
  const small = first.toLowerCase();
  const keys = SECRET_KEYS.split('|').filter((word) => word.startsWith(small));
  const { password = [], maybe = [], secret = [] } = CORES[small] ?? {};
  const groups = [password, maybe, [...secret, ...keys.map((word) => `${word}[-_ ]?key`)]];
  const pattern = groups.some((group) => group.length > 0)
    ? new RegExp(anyCase(groups.map((group) => `(${group.join('|') || '[]'})`).join('|')), 'y')
    : null;
  coresBy.set(first, pattern);
  return pattern;
}

/** The part that counts at one place of a text; null if none is there. */
export function coreAt(text: string, at: number): Core | null {
  const pattern = at < text.length ? coresFor(text.charAt(at)) : null;
  if (!pattern) return null;
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (!found) return null;
  return { text: found[0], says: found[1] !== undefined ? 'password' : found[2] !== undefined ? 'maybe' : 'secret' };
}

/** One of these is in every part that counts. */
const CORE_WORDS: readonly string[] = [
  ...['key', 'token', 'secret', 'pass', 'auth', 'pwd', 'credential'],
  ...['psk', '_pw', 'pswd', 'pat', 'jwt', 'kennwort', 'senha', 'wachtwoord', 'contrasena'],
];
/** And it begins with one of these: most places of a name are none, and a look costs less than to make a pattern. */
const CORE_BEGINNINGS: readonly string[] = [
  ...[
    'pass',
    'pwd',
    'pswd',
    'psk',
    'pat',
    'jwt',
    'key',
    'kennwort',
    'wachtwoord',
    'token',
    'credential',
    'contrasena',
    'senha',
    'secret',
  ],
  ...['ext', '_pw', '_key', '_auth', '_pat', '-pat', '.key', ...SECRET_KEYS.split('|')],
];

/** Words that follow the part that counts and make the name something about a secret: `token_type`, `passwordHash`, `secretName`. */
const AFTER = wordSet(
  'hash hashed digest checksum salt id ids uuid uid guid chars alphabet charset type types name names url urls uri path paths file files filename dir endpoint length size limit limits ' +
    'count counts expires expiry expiration ttl usage used budget max min field fields input output prompt policy pattern regex rule rules manager ' +
    'provider store scope scopes version status source env var format header headers label placeholder hint error errors message arn ref ' +
    'reset valid required enabled disabled page index list map s ' +
    'hasher hashers sha md5 commit rev revision oid address addresses encoder validator validators algorithm algo fingerprint ' +
    'encryption authentication method mechanism mgr incorrect wrong arg args at last time changed',
);
/** Matches the ending that makes a name one of several: `API_KEYS`. */
const SEVERAL = /^[sS]$/;
/** Words before it with the same effect: `maxTokens`, `next_page_token`, `public_key`. */
const BEFORE = wordSet(
  'max min num count total public publishable primary foreign sort partition cache cached idempotency lookup query reasoning per hashed',
);
/** Words that make a token or a key one of a page or of a model; beside a password or a secret they mean nothing: `NEXT_AUTH_SECRET`. */
const OF_PAGES = wordSet(
  'next page continuation cursor sync prev previous start end stop eos bos pad special estimated remaining',
);
const IN_PAGES = /^(?:token|_?key)$/i;
/** Words that make a token open something. */
const OPENS = wordSet(
  'secret api access auth refresh bearer bot private personal vault deploy npm snyk figma codecov codacy postmark railway security x',
);
const WHOLE_KEY = new RegExp(`(?:secret|${SECRET_KEYS})_key$`, 'i');
/** Called by the words of a name in front of the part that counts, if it is as weak as `_KEY`; also as a line of a diff that goes. */
const STRONG_KEY = /^-?[A-Z0-9_]+$/;

/** Images name the key that signs a release so, by its fingerprint. */
const FINGERPRINT_KEY = /(?:^|[_-])(?:GPG|PGP)_KEY$/;

/** Returns whether a name is that of a site key, which every page of the site has. */
const isPublished = (words: readonly string[]): boolean => words.at(-2) === 'site' && words.at(-1) === 'key';

/** The words of a name: `maxTokens` and `MAX_TOKENS` have two. */
const wordsOf = (name: string): string[] => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [];

/**
 * Decides the kind of value that a name promises.
 * @param core the part of it that counts
 */
export const kindOfName = (before: string, core: Core, after: string): NameKind | null =>
  kindOfJoined(`${before}\n${core.text}\n${after}\n${core.says}`);
const kindOfJoined = remembered((name): NameKind | null => {
  const [before, text, after, says] = name.split('\n') as [string, string, string, Core['says']];
  return kindOfParts(before, { text, says }, after);
});

function kindOfParts(before: string, core: Core, after: string): NameKind | null {
  const name = before + core.text + after;
  // Several may be many other things: only what could hardly be anything else is some.
  if (SEVERAL.test(after)) return core.says === 'password' || kindOfName(before, core, '') === null ? null : 'key';
  if (wordsOf(before).some((word) => BEFORE.has(word.toLowerCase()))) return null;
  if (core.says === 'maybe' && IN_PAGES.test(core.text) && isOfPages(before)) return null;
  if (wordsOf(after).some((word) => AFTER.has(word.toLowerCase()))) return null;
  const words = wordsOf(name).map((word) => word.toLowerCase());
  if (isPublished(words)) return null;
  if (core.says === 'maybe' && core.text.toLowerCase() === '_key') {
    // Keys are of many kinds; only one that a shell would export is likely to be secret.
    const whole = WHOLE_KEY.test(name);
    if (!whole && !STRONG_KEY.test(name)) return isKeyOf(before) ? 'key' : null;
    if (!whole && FINGERPRINT_KEY.test(name)) return null;
    return whole ? 'secret' : 'token';
  }
  if (core.text.toLowerCase() === 'key') return 'key';
  if (core.says === 'password') return 'password';
  return core.says === 'secret' || words.some((word) => OPENS.has(word)) ? 'secret' : 'token';
}

/**
 * Returns whether a token is one of a page by the words before it: by the last, or by any if none says that it opens something,
 * as in `NEXT_AUTH_TOKEN`.
 */
function isOfPages(before: string): boolean {
  const words = wordsOf(before).map((word) => word.toLowerCase());
  const near = STRONG_KEY.test(before) || words.some((word) => OPENS.has(word)) ? words.slice(-1) : words;
  return near.some((word) => OF_PAGES.has(word));
}

const mayBegin = (lower: string, index: number): boolean =>
  CORE_BEGINNINGS.some((word) => lower.startsWith(word, index));

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

/** Returns the name of one item of a list by the name of the list: `passwords` holds some. */
export function oneOf(name: string): string {
  const [before = 's', last] = [name.at(-2), name.at(-1)];
  return (last === 's' || last === 'S') && before !== 's' && before !== 'S' ? name.slice(0, -1) : name;
}

function kindOf(name: string): NameKind | null {
  // A type of CloudFormation is what something is, and no name of it.
  if (name.includes('::')) return null;
  // Most names are none, and this is quicker than the pattern. What continues as a path is none, and in every environment.
  const lower = name.toLowerCase().replaceAll('path', '   h');
  if (!CORE_WORDS.some((word) => lower.includes(word))) return null;
  for (let index = 0; index < name.length; index++) {
    const core = mayBegin(lower, index) || lower.length !== name.length ? coreAt(name, index) : null;
    if (core && beginsCore(name, index, core.text))
      return kindOfName(name.slice(0, index), core, name.slice(index + core.text.length));
  }
  return null;
}

/** `compass` and `bypass` have no password in them; `dbpassword` and `dbpass` have. */
export function beginsCore(text: string, index: number, core: string): boolean {
  // A key is one of those above, and those with a line below before them are parts of their own.
  if (core.toLowerCase() === 'key') return isKeyOf(nameBefore(text, index));
  if (!WHOLE_WORDS.has(core.toLowerCase()) || beginsAt(text, index, 'word')) return true;
  if (/^[PJ]/.test(core) && /[a-z]/.test(text.charAt(index - 1))) return true;
  return OWNER.test(text.slice(Math.max(0, index - LONGEST_OWNER), index).toLowerCase());
}
/** Parts that count only if a word begins, or behind its owner. */
const WHOLE_WORDS = new Set(['pass', 'pwd', 'psk', 'senha', 'pat', 'jwt']);
/** Whose password it is, written as one word with it; in lower case. */
const OWNER =
  /(?:^|[^a-z]|\\[nrt]|\[[0-9;]{0,8}[mk])(?:db|user|root|admin|smtp|mail|ftp|pg|sql|mysql|ssh|ldap|sudo|key|store)$|devops$/;
const LONGEST_OWNER = 16;
function nameBefore(text: string, index: number): string {
  NAME_BEFORE.lastIndex = index;
  return NAME_BEFORE.exec(text)?.[1] ?? '';
}
/** Read backwards: from each place before it on, it would be read once for each. */
const NAME_BEFORE = /(?<=([A-Za-z0-9-]{0,48}))/y;
