/** Checks if an answer about a damaged store is allowed: right, or an error of the right kind that names something of the store. */

/** Codes of errors that damage may lead to; a store that was made to look like another kind of store is refused as such. */
const CODES = [
  'damaged',
  'io',
  'unsupported_store',
  'newer_version',
  'not_a_repository',
  'not_found',
  'invalid_settings',
];

/** Checks if an error of this code may be the answer to damage. */
export const isAboutDamage = (code: string): boolean => CODES.includes(code);

/** Files whose loss cannot be told from their never having been. */
export const mayBeAbsent = (path: string): boolean => /^(STAGE$|logs(\/|$)|oplog(\/|$)|pending(\/|$))/.test(path);

/** Checks if the answer of a check tells of anything. */
export const finds = (answer: string | null): boolean => /"severity":"(damage|note|leftover)"/.test(answer ?? '');

/** An error must say which object, file, line or pointer it is about. */
export const namesSomething = (message: string): boolean =>
  /[0-9a-f]{40}|refs\/|STAGE|HEAD|config|packed-refs|pending|oplog|settings\.json|\.ctx|session\.json|LOCK|This store cannot be used: its /.test(
    message,
  );
