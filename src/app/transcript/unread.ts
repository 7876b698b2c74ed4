/** Explains why a file or a folder of an agent is not read, in a word and in a sentence. */
import { statSync } from 'node:fs';
import type { UnreadReason } from '../../agents/contract/transcript-places.ts';
import type { CtxError } from '../../core/errors.ts';
import { plainName, plainPieces } from '../../platform/compressed-file.ts';
import { errorCode } from '../../platform/files.ts';
import { danglingLink } from '../../platform/foreign-file.ts';
import { rootOf } from '../../platform/machine-errors.ts';
import type { TranscriptProblem } from './found-transcripts.ts';

/** Known forms, by the first bytes of the file, or by the end of its name if the form has no signature. */
const FORMS: readonly { begins?: string; ends?: RegExp; what: string; reason: UnreadReason }[] = [
  { begins: '\x28\xb5\x2f\xfd', what: 'compressed with Zstandard', reason: 'compressed' },
  { begins: '\x1f\x8b', what: 'compressed with gzip', reason: 'compressed' },
  { begins: '\xfd7zXZ\0', what: 'compressed with xz', reason: 'compressed' },
  { begins: 'BZh', what: 'compressed with bzip2', reason: 'compressed' },
  { begins: '\x04\x22\x4d\x18', what: 'compressed with LZ4', reason: 'compressed' },
  { begins: 'PK\x03\x04', what: 'a ZIP archive', reason: 'compressed' },
  { begins: '7z\xbc\xaf\x27\x1c', what: 'a 7z archive', reason: 'compressed' },
  { begins: 'age-encryption.org/', what: 'encrypted with age', reason: 'compressed' },
  { begins: 'Salted__', what: 'encrypted with OpenSSL', reason: 'compressed' },
  { begins: 'SQLite format 3\0', what: 'an SQLite database', reason: 'unknown' },
  { ends: /\.(br|brotli)$/, what: 'compressed with Brotli', reason: 'compressed' },
  { ends: /\.(zst|gz|xz|bz2|lz4|zip|7z|tgz)$/, what: 'compressed, by its name', reason: 'compressed' },
];

/** The name of an SQLite database. */
const DATABASE = /\.(db|sqlite3?)$/;

const LONGEST = Math.max(...FORMS.map(({ begins = '' }) => begins.length));

interface Form {
  what: string;
  reason: UnreadReason;
}

/**
 * Returns the form of a file that is not text lines, after decompression; null if it may be text.
 * @throws {CtxError} io; invalid_input, if it is compressed and damaged
 */
export function formOf(file: string): Form | null {
  const name = plainName(file);
  for (const piece of plainPieces(file, 4096)) {
    const beginning = piece.toString('latin1', 0, LONGEST);
    const form = FORMS.find(({ begins, ends }) => (begins ? beginning.startsWith(begins) : ends?.test(name)));
    if (form) return form;
    if (DATABASE.test(name)) return { what: 'no SQLite database, though its name says so', reason: 'damaged' };
    return piece.includes(0) ? { what: 'no text', reason: 'unknown' } : null;
  }
  return null;
}

/** Returns the message for a form, without the path. */
export const notRead = ({ what, reason }: Form): string =>
  reason === 'damaged' ? `is ${what}.` : `is ${what}, which ctx does not read.`;

/** The message for a file that no reader takes, without the path. */
export const UNKNOWN_KIND = 'is of a kind that ctx does not know.';

/** The hint for each reason. */
const HINTS: Record<UnreadReason, (file: string) => string> = {
  unknown: (file) => `If conversations are in it, a newer ctx may read them; if not, move it away: ${file}`,
  compressed: (file) =>
    `Unpack it beside itself, or: ctx ingest <unpacked>. If no conversation is in it, move it away: ${file}`,
  newer: () => 'Upgrade ctx, then: ctx capture catch-up --all',
  damaged: (file) => `Look at the file, or move it away: ${file}`,
  denied: (file) => `Make it readable for yourself, as with: chmod -R u+rX ${file}`,
  machine: () => 'Run ctx with a newer Node, then: ctx capture catch-up --all',
  missing: (file) => `Put back what it names, or remove the switch: ${file}`,
};

export const hintFor = (reason: UnreadReason, file: string): string => HINTS[reason](file);

/** Makes a problem. @param what what is wrong, as a sentence after the path */
export const unread = (agent: string, file: string, reason: UnreadReason, what: string): TranscriptProblem => ({
  agent,
  file,
  reason,
  message: `${file} ${what}`,
  hint: HINTS[reason](file),
});

const DENIED = ['EACCES', 'EPERM'];

/** Returns the reason of an error: the one in its data, or one derived from its cause. */
function reasonOf(error: CtxError): UnreadReason {
  const { unread: own, needs } = error.data ?? {};
  if (typeof own === 'string') return own as UnreadReason;
  if (needs !== undefined) return 'machine';
  if (error.code === 'newer_version') return 'newer';
  return DENIED.includes(errorCode(rootOf(error))) ? 'denied' : 'damaged';
}

/** Makes a problem from an error. */
export function unreadBy(agent: string, file: string, error: CtxError): TranscriptProblem {
  const reason = reasonOf(error);
  const hint = error.hint ?? HINTS[reason](file);
  return { agent, file, reason, message: error.message, hint };
}

/** Makes a problem for a file that no reader takes; null if it is empty. */
export function unreadFile(agent: string, file: string, what: string): TranscriptProblem | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size === 0) return null;
  if (stat && !stat.isFile()) return unread(agent, file, 'unknown', 'is not a file.');
  const form = formOf(file);
  return form ? unread(agent, file, form.reason, notRead(form)) : unread(agent, file, 'unknown', what);
}

/**
 * Makes a problem for a path that leads nowhere, since it is a dangling link or lies behind one; null if it leads
 * somewhere, or nothing is there at all.
 */
export function unreadLink(agent: string, path: string): TranscriptProblem | null {
  const link = danglingLink(path);
  if (link === null) return null;
  const hint = `Put back what it leads to (a disk that is not mounted?), or remove the link: ${link}`;
  return { ...unread(agent, link, 'missing', 'is a link that leads nowhere.'), hint };
}
