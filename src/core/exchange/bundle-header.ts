/** The header of a Git bundle (version 2): the refs that it has, before its pack. See gitformat-bundle. */

/** A ref of a bundle. */
export interface BundleRef {
  name: string;
  oid: string;
}

export const SIGNATURE = '# v2 git bundle\n';

/** Longest header that is read, in bytes: some 200,000 refs. */
export const HEADER_LIMIT = 24 * 1024 * 1024;

/** Encodes a header; the pack follows at once. */
export const encodeHeader = (refs: readonly BundleRef[]): Buffer =>
  Buffer.from(`${SIGNATURE}${refs.map(({ oid, name }) => `${oid} ${name}\n`).join('')}\n`);

/** Returns the length of the header at the beginning of some bytes, with the empty line that ends it; null if there is none yet. */
export function headerLength(bytes: Buffer): number | null {
  const end = bytes.indexOf('\n\n');
  return end < 0 ? null : end + 2;
}

/** A line of the header that names a ref. */
const REF = /^([0-9a-f]{40}) ([\x21-\x7e]+)$/;
/** A line that names a commit which the reader must have. */
const PREREQUISITE = /^-[0-9a-f]{40}(?: |$)/;

/** Parses a whole header; returns the reason if it is none of ctx's. */
export function parseHeader(header: Buffer): BundleRef[] | string {
  const text = header.toString('latin1');
  if (!text.startsWith(SIGNATURE)) return whatElse(text);
  const refs: BundleRef[] = [];
  const lines = text.slice(SIGNATURE.length, -2).split('\n');
  for (const line of lines) {
    if (PREREQUISITE.test(line)) return 'it needs commits that are not in it';
    const [, oid, name] = REF.exec(line) ?? [];
    if (oid === undefined || name === undefined) return 'a line of its header is no ref';
    refs.push({ oid, name });
  }
  if (new Set(refs.map(({ name }) => name)).size < refs.length) return 'it names a ref twice';
  return refs;
}

/** Returns what bytes are that do not begin as a bundle of this version does. */
const whatElse = (text: string): string =>
  text.startsWith('# v') ? 'it is a bundle of another version of Git' : 'it is no Git bundle';
