/** What Git itself says of a store that ctx finds whole: it reads what ctx does not, and whoever has the store asks it too. */
import { CtxError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import { askGit, hasGit } from '../git/git.ts';
import { type Cache, COMMIT_GRAPH, filesOf, MULTI_PACK_INDEX } from '../git/objects/git-caches.ts';
import type { Repository } from '../history/store/repository.ts';
import { damage, type Finding } from './finding.ts';

/** How much of what Git says is listened to, in bytes of each kind of output. */
const MOST = 256 * 1024;
/** How much of that is told: lines, and characters of each. */
const LINES = 100;
const LENGTH = 500;
/** How often it is asked: a Git that packs beside makes it stumble over what is just being replaced. */
const LOOKS = 3;

/** What Git judges by, beside the objects, wherever the user asks it. */
const WITH_CACHES = ['core.commitGraph=true', 'core.multiPackIndex=true'];
const FSCK = ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'];

/** What Git makes anew, and how it is asked whether it is right. */
export const JUDGED: readonly { cache: Cache; words: string[] }[] = [
  { cache: COMMIT_GRAPH, words: ['commit-graph', 'verify'] },
  { cache: MULTI_PACK_INDEX, words: ['multi-pack-index', 'verify'] },
];

/** What Git says is wrong with a cache of its own; nothing where it is right, or not there. @throws {CtxError} io, unsupported_store */
export const wordsOnCache = (repository: Repository, { cache, words }: (typeof JUDGED)[number]): string[] =>
  filesOf(repository.layout, cache).length === 0
    ? []
    : askGit(repository, words, { settings: WITH_CACHES, most: MOST });

/** What Git says is wrong with a pack, or with its index. @throws {CtxError} io, unsupported_store */
export const wordsOnPack = (repository: Repository, index: string): string[] =>
  askGit(repository, ['verify-pack', index], { most: MOST });

/** Asks Git, where it is installed and may be run; for a store that ctx has found whole, and in which nothing is too large. */
export function* verifyWithGit(repository: Repository): Generator<Finding> {
  try {
    if (hasGit(repository)) yield* told(looks(repository));
  } catch (error) {
    // What keeps Git from being run is told of by itself.
    if (!(error instanceof CtxError) || error.code === 'unsupported_store') return;
    if (error.code !== 'io') throw error;
    yield note(`Git could not be asked about the store: ${error.message}`);
  }
}

/** What Git says again. It lists the objects first, and misses what is written while it reads refs: that it says once. */
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

/** What is wrong with a cache makes all else wrong that goes by it: what is said without them counts, if that is anything. */
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

/** What leaves the question open. */
const note = (message: string): Finding => {
  return { severity: 'note', kind: 'git', where: 'Git', message, hint: 'Ask it with: ctx git fsck' };
};

const MEND = 'ctx fsck --full --repair';
const LOOK =
  'Look closer with: ctx git fsck --strict --full --no-dangling. What ctx has not made is yours to put right or to remove.';

/** What a line is about: a ref, a file beside it, or one of packs. */
const NAMED = /(?<=^error: )(?:refs|worktrees)\/[^\s:]+|\bobjects\/pack\/pack-[0-9a-f]{40}\.\w+/;

/** Whether what is wrong is a file of a pack. */
export const isOfPack = (where: string): boolean => where.startsWith('objects/pack/pack-');

const said = (where: string, line: string, hint: string): Finding =>
  damage('git', where, `Git says: ${oneLine(line, LENGTH)}`, hint);

/** What Git says beside what is wrong. */
const HARMLESS = /^(?:warning|notice|hint)\b/;

/** Git puts what belongs together below each other. */
function sentencesOf(lines: readonly string[]): string[] {
  const sentences: string[] = [];
  for (const line of lines.filter((one) => !HARMLESS.test(one)))
    if (/^\s{4}/.test(line) && sentences.length > 0) sentences.push(`${sentences.pop()} ${line.trim()}`);
    else sentences.push(line);
  return sentences;
}

/** The first of them; the others are counted. */
function* told(found: readonly Finding[]): Generator<Finding> {
  yield* found.slice(0, LINES);
  const more = found.length - LINES;
  if (more > 0)
    yield damage('git', 'Git', `Git says ${more} more things of the kind, or even more than was heard`, LOOK);
}
