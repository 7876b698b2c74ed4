/** What forgetting cannot reach, in sentences: copies that are not in this store. */
import { parseConfig } from '../core/config-file.ts';
import { cleanerOf } from '../core/forgetting.ts';
import { plural } from '../core/text.ts';
import { readCommit } from '../store/chain.ts';
import { configText } from '../store/config.ts';
import type { Counts } from '../store/forget/planned.ts';
import { ARCHIVE, SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { readSession } from '../store/session-document.ts';
import type { Aim } from './forget-target.ts';

/** Most transcripts that are named one by one. */
const SHOWN = 10;

/** @param counts with files of the user's in the store that hold it, and what says it as a word of ctx's own */
export function outOfReach(repository: Repository, aim: Aim, { left, standing }: Counts): string[] {
  const { text } = cleanerOf(aim.forgetting);
  const remotes = remotesOf(repository).map((remote) => text(remote));
  const transcripts = transcriptsOf(repository, aim);
  const more = transcripts.length - SHOWN;
  const own = left.filter((name) => !name.startsWith('objects/'));
  const words = inOwnWords(aim, standing, left.length - own.length);
  return [
    ...own.map((name) => `${name} in this store holds it: it is yours, so take it out by hand.`),
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

/** Which of the texts still stand where ctx says them itself; null where none does. */
function inOwnWords({ forgetting }: Aim, { texts, refs }: Counts['standing'], objects: number): string | null {
  if (refs + objects === 0) return null;
  const all = forgetting.texts.size;
  const which = all > 1 ? `${texts} of the ${all} texts` : 'It';
  const names = refs === 0 ? '' : ` and in the names of ${plural(refs, 'ref')}`;
  return `${which} still stand${all > 1 && texts > 1 ? '' : 's'} in ${plural(objects, 'object')}${names} of this store, as a word of ctx's own.`;
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
    // fsck tells what is wrong with it.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Where the transcripts lay that the sessions in question were made of. */
function transcriptsOf({ refs, objects }: Repository, { among, forgetting }: Aim): string[] {
  const { text } = cleanerOf(forgetting);
  const paths = new Set<string>();
  for (const prefix of [SESSIONS, ARCHIVE]) {
    for (const [ref, head] of refs.list(prefix)) {
      if (among !== null && !among.has(ref.slice(prefix.length))) continue;
      const { sources } = readSession(objects, readCommit(objects, head).tree, `step ${head}`);
      for (const { transcript } of sources.flatMap((source) => [source, ...(source.other_files ?? [])]))
        if (typeof transcript === 'string') paths.add(text(transcript));
    }
  }
  return [...paths];
}
