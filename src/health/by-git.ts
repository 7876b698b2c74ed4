/** Asks Git to check a store that ctx finds whole: Git reads files that ctx does not, and the user may run it too. */
import { CtxError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import { askGit, hasGit } from '../git/git.ts';
import { type Cache, COMMIT_GRAPH, filesOf, MULTI_PACK_INDEX } from '../git/objects/git-caches.ts';
import type { Repository } from '../history/store/repository.ts';
import { damage, type Finding } from './finding.ts';

/** Most bytes of each output stream of Git that are read. */
const MOST = 256 * 1024;
/** Most lines that are reported, and characters of each. */
const LINES = 100;
const LENGTH = 500;
/** Number of runs: a concurrent Git that packs makes it report files that are being replaced. */
const LOOKS = 3;

/** Settings that make Git use its caches beside the objects, as it does for the user. */
const WITH_CACHES = ['core.commitGraph=true', 'core.multiPackIndex=true'];
const FSCK = ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'];

/** Git's caches, and the commands that verify them. */
export const JUDGED: readonly { cache: Cache; words: string[] }[] = [
  { cache: COMMIT_GRAPH, words: ['commit-graph', 'verify'] },
  { cache: MULTI_PACK_INDEX, words: ['multi-pack-index', 'verify'] },
];

/**
 * Returns Git's complaints about one of its caches; empty if the cache is right, or absent.
 * @throws {CtxError} io, unsupported_store
 */
export const wordsOnCache = (repository: Repository, { cache, words }: (typeof JUDGED)[number]): string[] =>
  filesOf(repository.layout, cache).length === 0
    ? []
    : askGit(repository, words, { settings: WITH_CACHES, most: MOST });

/** Returns Git's complaints about a pack or its index. @throws {CtxError} io, unsupported_store */
export const wordsOnPack = (repository: Repository, index: string): string[] =>
  askGit(repository, ['verify-pack', index], { most: MOST });

/**
 * Runs Git's checks, if Git is installed and may be run; for a store that ctx has found whole, and that has no oversized
 * objects.
 */
export function* verifyWithGit(repository: Repository): Generator<Finding> {
  try {
    if (hasGit(repository)) yield* logged(looks(repository));
  } catch (error) {
    // The reason why Git may not be run is reported separately.
    if (!(error instanceof CtxError) || error.code === 'unsupported_store') return;
    if (error.code !== 'io') throw error;
    yield note(`Git could not be asked about the store: ${error.message}`);
  }
}

/**
 * Returns the complaints that Git repeats. Git lists the objects first, and misses those that are written while it reads
 * refs: it reports those once.
 */
function looks(repository: Repository): Finding[] {
  let found = look(repository);
  for (let left = LOOKS - 1; left > 0 && found.length > 0; left -= 1) {
    const before = new Set(found.map(({ message }) => message));
    found = look(repository);
    const again = found.filter(({ message }) => before.has(message));
    if (again.length > 0) return again;
  }
  return found.length === 0 ? [] : [note('Git said something else each time it was asked: others write here')];
}

/** A damaged cache causes complaints about everything: those without the caches count, if there are any. */
function look(repository: Repository): Finding[] {
  const all = askGit(repository, FSCK, { settings: WITH_CACHES, most: MOST });
  if (all.length === 0) return [];
  const caches = JUDGED.flatMap((judged) => {
    const [where = ''] = filesOf(repository.layout, judged.cache);
    const hint = `${MEND} sets it aside in lost/: Git makes it again when it needs it.`;
    return wordsOnCache(repository, judged).map((line) => said(where, line, hint));
  });
  const apart = [...sentencesOf(askGit(repository, FSCK, { most: MOST })).map(saidOfObjects), ...caches];
  return apart.length > 0 ? apart : all.map(saidOfObjects);
}

function saidOfObjects(line: string): Finding {
  const where = NAMED.exec(line)?.[0] ?? 'Git';
  return said(where, line, isOfPack(where) ? `${MEND} makes what Git has beside a pack again.` : LOOK);
}

/** Makes a note that the check is inconclusive. */
const note = (message: string): Finding => {
  return { severity: 'note', kind: 'git', where: 'Git', message, hint: 'Ask it with: ctx git fsck' };
};

const MEND = 'ctx fsck --full --repair';
const LOOK =
  'Look closer with: ctx git fsck --strict --full --no-dangling. What ctx has not made is yours to put right or to remove.';

/** The subject of a line: a ref, a file beside it, or a file of a pack. */
const NAMED = /(?<=^error: )(?:refs|worktrees)\/[^\s:]+|\bobjects\/pack\/pack-[0-9a-f]{40}\.\w+/;

/** Returns whether a place is a file of a pack. */
export const isOfPack = (where: string): boolean => where.startsWith('objects/pack/pack-');

const said = (where: string, line: string, hint: string): Finding =>
  damage('git', where, `Git says: ${oneLine(line, LENGTH)}`, hint);

/** Lines that are no complaints. */
const HARMLESS = /^(?:warning|notice|hint)\b/;

/** Joins continuation lines, which Git indents. */
function sentencesOf(lines: readonly string[]): string[] {
  const sentences: string[] = [];
  for (const line of lines.filter((one) => !HARMLESS.test(one)))
    if (/^\s{4}/.test(line) && sentences.length > 0) sentences.push(`${sentences.pop()} ${line.trim()}`);
    else sentences.push(line);
  return sentences;
}

/** Yields the first complaints, and the number of the others. */
function* logged(found: readonly Finding[]): Generator<Finding> {
  yield* found.slice(0, LINES);
  const more = found.length - LINES;
  if (more > 0)
    yield damage('git', 'Git', `Git says ${more} more things of the kind, or even more than was heard`, LOOK);
}
