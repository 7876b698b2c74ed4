/** Recognises hashes beside the names of files, paths and images: they identify contents, and open nothing. */
import { lazily } from '../core/lazily.ts';
import { followsMarker } from './marker.ts';
import { behindEscape } from './word-boundaries.ts';

/** MD5, SHA-1 and the others, also behind their name. */
const HASH = lazily(
  () =>
    /^(?:(?:md5|sha)[0-9:-]{0,5})?(?:(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})|(?:[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{64}))$/,
);
/** As an image is tagged with the commit that it was made of, mostly behind the branch. */
const BUILD = lazily(() => /^(?:[a-z0-9.]{1,20}-){0,4}[0-9a-f]{7,40}$/);

/** Matches the end of the name of a file of code or text, of an archive or a picture. */
const EXTENSION = lazily(
  () =>
    /\.(?:[cm]?[jt]sx?|py[ix]?|rb|go|rs|java|kts?|scala|swift|c|cc|cpp|h|hpp|cs|fs|vb|php|p[lm]|lua|dart|exs?|erl|hs|ml|clj|sh|bash|zsh|fish|ps1|bat|html?|s?css|sass|less|vue|svelte|astro|mdx?|rst|sql|graphql|proto|svg|png|jpe?g|gif|webp|ico|woff2?|wasm|map|snap|t?gz|zip|jar|whl|pdf)$/i,
);
/** Matches annotations that Helm writes into manifests, so that a change of the file makes them new. */
const CHECKSUM = lazily(() => /^checksum\/[\w.-]+$/);
/** An image of containers: a name of words beside the path that it lies at. Names in stores of secrets have lines below in them. */
const IMAGE = lazily(() => /^[\w.@-][\w.@/-]*\/[a-z0-9.]+(?:-[a-z0-9.]+)+$/);

/**
 * Checks if a value is the hash of what its name says.
 * @param sign what is between the two in a text; empty if they are a key and its value
 */
export function isHashOf(name: string, value: string, sign = ''): boolean {
  const isHash = HASH().test(value);
  if (isHash && (EXTENSION().test(name) || CHECKSUM().test(name))) return true;
  return sign === ':' && IMAGE().test(name) && (isHash || BUILD().test(value));
}

/** Matches the text before a name in a path; a slash may be escaped. */
const PATH_BEFORE = lazily(() => /(?<=((?:[\w.@-]|\\{0,4}\/){0,256}))/y);

/** A name with the path that is before it in a text. */
export function withPath(text: string, start: number, end: number): string {
  if (text.charAt(start - 1) !== '/') return text.slice(start, end);
  const pattern = PATH_BEFORE();
  pattern.lastIndex = start;
  const begin = behindEscape(text, start - (pattern.exec(text)?.[1]?.length ?? 0), start);
  // A folder may have been redacted.
  return (followsMarker(text, begin) ? '-' : '') + text.slice(begin, end).replace(/\\/g, '');
}

/** Of a key that signs, as GPG and pages about a release say it: `Signing key: 9DC8…`. A key itself may look the same behind any other label. */
const FINGERPRINT = /^(?:[0-9A-F]{16}|[0-9A-F]{40})$/;
const SIGNS = /(?:^|[ ._-])signing key$/i;
/** Returns whether a value says which key a label means, and is not that key. */
export const isFingerprint = (name: string, value: string): boolean => SIGNS.test(name) && FINGERPRINT.test(value);
