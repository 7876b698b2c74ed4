/** Lists the keywords of names that are followed by a secret. */
import { SECRET_KEYS } from './name-kinds.ts';

/** Text after a name that is short, or the end of many others. */
const NEXT = ['=', '"', ':', "'", ' ', '\\', ']'];

/** Keys as a page labels them, in words. */
const LABELS = ['access', 'encryption', 'private', 'signing', 'master', 'license', 'deploy'].map(
  (word) => `${word} key`,
);
/** Keywords that lead to a closer look at a name; in lower case. */
export const NAME_KEYWORDS: readonly string[] = [
  ...['pass', 'pwd', 'pswd', 'psk', 'secret', 'token', 'credential', 'kennwort', 'senha', 'wachtwoord', 'contrasena'],
  ...[
    '_auth',
    '_key',
    'api key',
    ...LABELS,
    ...NEXT.flatMap((next) => [`_pat${next}`, `-pat${next}`, `_pw${next}`, `pat${next}`, `jwt${next}`]),
    // Aligned with others and with a type, too.
    ...['=', '"', ':', "'", ' =', '\\', '>', ' :', '  ', ' string'].map((next) => `key${next}`),
  ],
  'devopspat',
  'ext_pat',
  'extpat',
  // As files of properties have them.
  '.key',
  // Behind `_key` alone, `api_key_live` would be a key of no kind.
  ...SECRET_KEYS.split('|').flatMap((word) => [`${word}key`, `${word}-key`, `${word}_key`]),
];

/** Text after some of them if they are the part of a name that counts (`name-kinds.ts`), and no end of a sentence, as in "All tests pass."; behind the others it may be anything. */
export const NAME_FOLLOWS: Readonly<Record<string, string>> = {
  pass: '(?:word|wd|wort|phrase|code|(?<=mot_de_pass)e|(?![a-z]|[.!](?:\\s|$)))',
  token: '(?!s(?![a-z]))',
  psk: '(?![a-z0-9_])',
  _key: '(?![a-z])',
  _auth: '(?![a-z])',
  'private key': '(?!-----)',
  '.key': String.raw`(?<=(?:${SECRET_KEYS})\.key)(?![a-z])`,
};
