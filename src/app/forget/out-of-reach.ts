/** Lists what forgetting cannot reach, in sentences: copies that are not in this store. */
import { parseConfig } from '../../core/config-file.ts';
import { cleanerOf } from '../../core/session/forgetting.ts';
import { plural } from '../../core/text.ts';
import { configText } from '../../git/config.ts';
import { readCommit } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { isBegunPack, isLock } from '../../history/forget/file-owner.ts';
import type { Counts } from '../../history/forget/planned.ts';
import { ARCHIVE, SESSIONS } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { presentForm } from '../../platform/compressed-file.ts';
import type { Aim } from './target.ts';

/** Most transcripts that are named one by one. */
const SHOWN = 10;

/**
 * Lists the copies out of reach.
 * @param counts with the user's files in the store that hold it, and the uses of it as a word of ctx's own
 */
export function outOfReach(repository: Repository, aim: Aim, { left, standing }: Counts): string[] {
  const { text } = cleanerOf(aim.forgetting);
  const remotes = remotesOf(repository).map((remote) => text(remote));
  const transcripts = transcriptsOf(repository, aim);
  const more = transcripts.length - SHOWN;
  const own = leftToYou({ left });
  const words = inOwnWords(aim, standing, left.length - own.length);
  return [
    ...own.map(whyLeft),
    ...(words === null ? [] : [words]),
    remotes.length > 0
      ? `Remotes that this store was pushed to: ${remotes.join(', ')}. Push again with --force, and have what is left there collected.`
      : 'Any repository that this store was pushed to.',
    ...(transcripts.length > 0
      ? [
          `The agent's own transcripts: ${transcripts.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
        ]
      : ["The agent's own files."]),
    'The files of the project themselves, and their history in its own repository.',
    'Exports, clones and other copies of this store; backups and snapshots of the disk.',
    'What the disk itself keeps of files that were removed, until it is written over.',
  ];
}

/** Returns the places in the store that hold it and are not ctx's to remove. */
export const leftToYou = ({ left }: Pick<Counts, 'left'>): string[] =>
  left.filter((place) => !/^objects\/[0-9a-f]{40}$/.test(place));

/** Returns whether the name of a file cannot be typed as it is shown. */
export const isUnreadable = (name: string): boolean => name.includes('\ufffd');

/** Explains why something in the store that holds it is left, and what to do about it. */
function whyLeft(name: string): string {
  if (isUnreadable(name))
    return `${name} in this store may hold it: its name is no UTF-8, so look into it, or remove it, by hand.`;
  if (isLock(name))
    return `${name} in this store holds it: it is a lock, and somebody may hold that. Forget it again once it is gone; ctx fsck --break-lock removes one of Git's that is over an hour old.`;
  if (isBegunPack(name))
    return `${name} in this store may hold it: it is a pack that somebody may be writing. If nobody is, remove it; otherwise forget it again once that is done.`;
  if (name.endsWith('.pack'))
    return `${name} in this store may hold it: it has no index, and Git may be at work on it. See: ctx fsck`;
  return `${name} in this store holds it: it is yours, so take it out by hand.`;
}

/** Says how many of the texts remain as words of ctx's own; null if none does. */
function inOwnWords({ forgetting }: Aim, { texts, refs }: Counts['standing'], objects: number): string | null {
  if (refs + objects === 0) return null;
  const all = forgetting.texts.size;
  const which = all > 1 ? `${texts} of the ${all} texts` : 'It';
  const names = refs === 0 ? '' : ` and in the names of ${plural(refs, 'ref')}`;
  return `${which} ${all > 1 && texts > 1 ? 'are' : 'is'} still in ${plural(objects, 'object')}${names} of this store, as a word of ctx's own.`;
}

function remotesOf(repository: Repository): string[] {
  try {
    const entries = parseConfig(configText(repository.layout));
    return entries
      .filter(({ key }) => /^remote\..*\.url$/.test(key))
      .map(
        ({ key, value }) => `${key.slice('remote.'.length, -'.url'.length)} (${value.replace(/\/\/[^/@]*@/, '//')})`,
      );
  } catch (error) {
    // `ctx fsck` reports what is wrong with it.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Lists the transcripts of the sessions in question. */
function transcriptsOf({ refs, objects }: Repository, { among, forgetting }: Aim): string[] {
  const { text } = cleanerOf(forgetting);
  const paths = new Set<string>();
  for (const prefix of [SESSIONS, ARCHIVE]) {
    for (const [ref, head] of refs.list(prefix)) {
      if (among !== null && !among.has(ref.slice(prefix.length))) continue;
      const { sources } = readSession(objects, readCommit(objects, head).tree, `step ${head}`);
      for (const { transcript } of sources.flatMap((source) => [source, ...(source.other_files ?? [])]))
        if (typeof transcript === 'string') paths.add(text(presentForm(transcript)));
    }
  }
  return [...paths];
}
