/** The refs of a bundle, and the paths of the tree that its manifest is in. */
import type { BundleRef } from '../../core/exchange/bundle-header.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import { MAIN } from '../../git/layout.ts';
import { EXPORT } from '../../history/names/layout.ts';

export const MANIFEST = 'manifest.json';
export const SESSIONS_FOLDER = 'sessions';

/** Returns the refs of a bundle: HEAD makes `git clone` check out the canonical history. @param made the commit with the manifest */
export const refsOf = (
  sessions: readonly Pick<BundledSession, 'ref' | 'head'>[],
  main: string,
  made: string,
): BundleRef[] => [
  { name: 'HEAD', oid: main },
  { name: EXPORT, oid: made },
  { name: MAIN, oid: main },
  ...sessions.map(({ ref, head }) => ({ name: ref, oid: head })),
];
