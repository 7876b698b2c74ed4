/** Types beside a name in code: `password: Base64String`, `apiKey: ApiKeyV2Response`. */
import { wordSet } from '../core/word-set.ts';
import { isMixed } from './randomness.ts';

/** Words that types are named by, and hardly any password has. */
const TYPE_WORDS = wordSet(
  'string str text char varchar byte array buffer slice vec list set map dict hash digest sum checksum key token secret ' +
    'response request result payload input output type value data schema field config option prop param parameter context selector ref like len length ' +
    'max min int uint float number encoded encrypted encoder decoder certificate credential session provider client signature cipher ' +
    'optional nullable model entity dto enum record object node stream reader writer hmac pbkdf argon bcrypt scrypt ' +
    'state event error info manager service handler factory builder policy setting template attribute restriction',
);
/** A pointer or a reference to it, a module in front as generated code joins it, and if GraphQL says that it must be there. */
const WRITTEN =
  /^[*&?]{0,2}(?:[A-Z][a-z]{2,20}\$)?([A-Za-z][A-Za-z0-9]{3,80}(?:\.[A-Za-z][A-Za-z0-9]{1,40}){0,4})[!?]{0,2}$/;
/** So much of a name is in such words. */
const LEAST_SHARE = 0.2;
/** A value or a member of one begins with a small letter, as many passwords do: it must have more words, and more of these. */
const LEAST_SHARE_OF_VALUE = 0.3;
const LEAST_WORDS_OF_VALUE = 3;
const LEAST_SHARE_OF_MIXED = 0.5;

/**
 * Returns whether a text that nothing quotes is the name of a type or of a value: words with capitals in front, one of them of
 * types.
 */
export function isTypeName(written: string): boolean {
  const name = WRITTEN.exec(written)?.[1] ?? '';
  const words = name.match(/[A-Z]?[a-z]+/g) ?? [];
  const own = words.filter((word) => TYPE_WORDS.has(word.toLowerCase().replace(/s$/, '')));
  // One word and a number is what people make a password of; and chance makes a word here and there.
  const share = own.join('').length / name.length;
  const isType = /^[A-Z][^.]*$/.test(name);
  const least = isType ? LEAST_SHARE : LEAST_SHARE_OF_VALUE;
  return (
    words.length >= (isType ? 2 : LEAST_WORDS_OF_VALUE) &&
    own.length > 0 &&
    share >= (isMixed(name) ? LEAST_SHARE_OF_MIXED : least)
  );
}
