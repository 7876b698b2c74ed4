/** The keywords of names that say what stands beside them. */
import { SECRET_KEYS } from './names.ts';

/** What follows a name that is short, or the end of many others. */
const NEXT = ['=', '"', ':', "'", ' ', '\\', ']'];

/** What leads to a closer look at a name; in lower case. */
export const NAME_KEYWORDS: readonly string[] = [
  ...['pass', 'pwd', 'pswd', 'psk', 'secret', 'token', 'credential', 'kennwort', 'senha', 'wachtwoord', 'contrasena'],
  ...[
    '_auth',
    '_key',
    'api key',
    ...NEXT.flatMap((next) => [`_pat${next}`, `-pat${next}`, `_pw${next}`, `pat${next}`, `jwt${next}`]),
    ...['=', '"', ':', "'", ' =', '\\', '>'].map((next) => `key${next}`),
  ],
  'devopspat',
  'ext_pat',
  'extpat',
  // As files of properties have them.
  '.key',
  // Behind `_key` alone, `api_key_live` would be a key of no kind.
  ...SECRET_KEYS.split('|').flatMap((word) => [`${word}key`, `${word}-key`, `${word}_key`]),
];
