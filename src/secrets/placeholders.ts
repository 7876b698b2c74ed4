/** Recognises placeholders for secrets in documentation and tests: known examples, words that say so, and rows of keys on a keyboard. */

/** Words that chance never makes, and what is left out. */
const SAYS_SO =
  /example|placeholder|change[-_]?me|change[-_]?this|(?<![a-z0-9])(?:your|insert|put)[-_][a-z_-]{1,40}[-_]here|redacted|\*\*\*|\.\.\./i;
/** Shorter ones where a word begins, crosses, rows, and what people type: chance makes these in one of many keys. */
const MAY_SAY_SO =
  /(?<![a-z0-9])(?:dummy|fake|replace|insert|your|todo)|12345678|23456789|abcdefg|(?:0123){2}|deadbeef|qwerty|xxxx/i;
/** Base64 has a row of `A` for bytes that are nought. */
const SAME = /([^A])\1{5,}/;
/** Matches text that is typed instead of a secret. What counts up or down, or stays the same, is seen by itself. */
const TYPED = /dummy|fake|replace|insert|your|todo|deadbeef|cafebabe|qwerty(?:uiop)?|asdf(?:ghjkl)?|zxcvb(?:nm)?/gi;
/** Longer texts are no are-ins. */
const LONGEST = 300;

/** The payload of the example that jwt.io shows begins so: everybody has it in a test. */
const JWT_EXAMPLE = Buffer.from('{"sub":"1234567890","name":"John Doe').toString('base64url').slice(0, 46);

/** Beginning of the secret in Amazon's documentation: a line may end before it says that it is an example. */
const AWS_EXAMPLE = ['wJalrXUtn', 'FEMI'].join('');

/** Values that RFC 7617 (2), RFC 6749 (2.3.1, 4.1.4) and RFC 6750 (2.1) show: every page about these headers and tokens has them. */
const OF_STANDARDS: ReadonlySet<string> = new Set([
  ...['Aladdin:open sesame', 's6BhdRkqt3:gX1fBat3bV', 's6BhdRkqt3:7Fjfp0ZBr1KtDRbnfVdmIw'],
  ...['2YotnFZFEjr1zCsicMWpAA', 'tGzv3JOkF0XG5Qx2TlKWIA', 'mF_9.B5f-4.1JqM'],
]);

/** To look a longer text up costs as much as it is long. */
const LONGEST_OF_STANDARDS = Math.max(...Array.from(OF_STANDARDS, ({ length }) => length));

/** So much of a text says whether it is a known example: each lies near its beginning. */
const TELLING = 1024;

/** Returns whether a text is known from documentation, or says itself that it is no secret, as `AKIA…EXAMPLE` does. */
export function isExample(text: string): boolean {
  const head = text.length > TELLING ? text.slice(0, TELLING) : text;
  return (
    head.includes(JWT_EXAMPLE) ||
    head.includes(AWS_EXAMPLE) ||
    (head.length <= LONGEST_OF_STANDARDS && OF_STANDARDS.has(head)) ||
    (text.length <= LONGEST && SAYS_SO.test(text))
  );
}

/** Returns a text without all placeholders of a secret, or null if the text is too long or has none. */
export const withoutStandIns = (text: string): string | null =>
  text.length <= LONGEST && (MAY_SAY_SO.test(text) || SAME.test(text)) ? withoutRows(text.replace(TYPED, ' ')) : null;

/** Fewer characters chance puts in a row in every other key. */
const LEAST_ROW = 4;

/** A text without what is in it in a row, a blank in its place. */
function withoutRows(text: string): string {
  let left = '';
  let begin = 0;
  for (let index = 1; index <= text.length; index++) {
    if (index < text.length && goesOn(text.charAt(index - 1), text.charAt(index))) continue;
    left += index - begin < LEAST_ROW ? text.slice(begin, index) : ' ';
    begin = index;
  }
  return left;
}

/** As people count. */
const ROW = '0123456789abcdefghijklmnopqrstuvwxyz';
/** And where they begin again. */
const WRAPS = /90|09|f0|0f|z0|0z|za|az|0a|a0/i;
function goesOn(before: string, letter: string): boolean {
  if (before === letter) return true;
  const place = ROW.indexOf(letter.toLowerCase());
  const last = ROW.indexOf(before.toLowerCase());
  return place >= 0 && last >= 0 && (Math.abs(place - last) <= 1 || WRAPS.test(before + letter));
}
