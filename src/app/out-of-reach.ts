/** What forgetting cannot reach, in sentences: copies that are not in this store. */
import { parseConfig } from '../core/config-file.ts';
import { cleanerOf } from '../core/forgetting.ts';
import { plural } from '../core/text.ts';
import { readCommit } from '../store/chain.ts';
import { configText } from '../store/config.ts';
import { ARCHIVE, SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { readSession } from '../store/session-document.ts';
import type { Aim } from './forget-target.ts';

/** Most transcripts that are named one by one. */
const SHOWN = 10;

/** @param left files of the user's in the store that hold it, and objects that say it as a word of ctx's own */
export function outOfReach(repository: Repository, aim: Aim, left: readonly string[]): string[] {
  const remotes = remotesOf(repository);
  const transcripts = transcriptsOf(repository, aim);
  const more = transcripts.length - SHOWN;
  const own = left.filter((name) => !name.startsWith('objects/'));
  const words = left.length - own.length;
  return [
    ...own.map((name) => `${name} in this store holds it: it is yours, so take it out by hand.`),
    ...(words === 0 ? [] : [`${plural(words, 'object')} of this store still say it, as a word of ctx's own.`]),
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
      for (const { transcript } of sources) if (typeof transcript === 'string') paths.add(text(transcript));
    }
  }
  return [...paths];
}
