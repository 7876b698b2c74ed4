/** Detects a file that an agent has written though it is no transcript that ctx knows: by its place, or its form. */
import { basename, join, relative, sep } from 'node:path';
import { isWithin, knownFile } from '../../agents/contract/transcript-places.ts';
import { collectionPlaces, transcriptPlaces } from '../../agents/index.ts';
import { plainName } from '../../platform/compressed-file.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import { withoutLinks } from '../setup/project-paths.ts';
import type { TranscriptProblem } from './found-transcripts.ts';
import { type Around, agentPlaces } from './places.ts';
import { isSilentTranscript } from './silent-transcript.ts';
import { formOf, notRead, UNKNOWN_KIND, unread, unreadFile, unreadLink } from './unread.ts';

/** The name of a transcript that was packed, in any folder. */
const PACKED = /\.(jsonl?|db)(\.[a-z0-9]+)+$/;

/**
 * Returns what is wrong with a file; null if it is known to be no transcript, or if nothing suggests that it is an
 * agent's.
 */
export type UnreadLookup = (file: string) => TranscriptProblem | null;

/**
 * Returns the lookup for the places of all agents.
 * @param project the folder that relative paths of switches start from
 */
export function unreadLookup(project: string, around: Around): UnreadLookup {
  const places = placesIn(project, around);
  return (file) => {
    const real = withoutLinks(file);
    const place = places.find(({ root }) => isWithin(real, [root]));
    if (place) return place.look(file, relative(place.root, real).split(sep));
    const form = PACKED.test(basename(file)) && statLinkedIfThere(file) ? formOf(file) : null;
    return form && unread('', file, form.reason, notRead(form));
  };
}

interface LookedAt {
  root: string;
  look: (file: string, names: readonly string[]) => TranscriptProblem | null;
}

/** Returns every place of every agent, without links. */
function placesIn(project: string, around: Around): LookedAt[] {
  const roots = transcriptPlaces().flatMap((agent) =>
    agentPlaces(agent, project, around).places.flatMap(({ kind, folder }) => {
      const look: LookedAt['look'] = (file, names) => {
        const known = knownFile(agent.known, kind === 'home' ? names : [basename(folder), ...names]);
        if (known && !known.isSubAgent) return null;
        const link = unreadLink(agent.agent, file);
        if (link) return link;
        if ((known || agent.isConversation(basename(plainName(file)))) && isSilentTranscript(agent, file)) return null;
        return unreadFile(agent.agent, file, UNKNOWN_KIND);
      };
      const folders = kind === 'home' ? agent.roots.map((root) => join(folder, root)) : [folder];
      return folders.map((root) => ({ root: withoutLinks(root), look }));
    }),
  );
  const homes = collectionPlaces().flatMap((agent) =>
    agentPlaces(agent, project, around).places.map(({ folder }) => ({
      root: withoutLinks(folder),
      look: (file: string, names: readonly string[]) =>
        knownFile(agent.known, names)
          ? null
          : (unreadLink(agent.agent, file) ?? unreadFile(agent.agent, file, UNKNOWN_KIND)),
    })),
  );
  return [...roots, ...homes];
}
