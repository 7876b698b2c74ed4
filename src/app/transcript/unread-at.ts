/** Whether a file that is no transcript as ctx knows them is one that an agent has written all the same: by where it lies, or its form. */
import { basename, join, relative, sep } from 'node:path';
import { isWithin, knownFile } from '../../agents/contract/transcript-places.ts';
import { COLLECTIONS, TRANSCRIPTS } from '../../agents/transcripts.ts';
import { plainName } from '../../platform/compressed-file.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import { withoutLinks } from '../setup/project-paths.ts';
import type { TranscriptProblem } from './found.ts';
import { type Around, agentPlaces } from './places.ts';
import { silentIn } from './silent.ts';
import { formOf, notRead, unread, unreadFile, unreadLink } from './unread.ts';

/** The name of a transcript that was packed, wherever it lies. */
const PACKED = /\.(jsonl?|db)(\.[a-z0-9]+)+$/;

/** Looks at a file: gives what is the matter with it, and null where it is known to be none or nothing says that it is an agent's. */
export type LookAtUnread = (file: string) => TranscriptProblem | null;

/** @param project the folder that relative paths of switches count from */
export function unreadIn(project: string, around: Around): LookAtUnread {
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

/** Every place of every agent, without links. */
function placesIn(project: string, around: Around): LookedAt[] {
  const roots = TRANSCRIPTS.flatMap((agent) =>
    agentPlaces(agent, project, around).places.flatMap(({ kind, folder }) => {
      const look: LookedAt['look'] = (file, names) => {
        const known = knownFile(agent.known, kind === 'home' ? names : [basename(folder), ...names]);
        if (known && !known.isSubAgent) return null;
        const link = unreadLink(agent.agent, file);
        if (link) return link;
        if ((known || agent.isConversation(basename(plainName(file)))) && silentIn(agent, file)) return null;
        return unreadFile(agent.agent, file, UNKNOWN);
      };
      const folders = kind === 'home' ? agent.roots.map((root) => join(folder, root)) : [folder];
      return folders.map((root) => ({ root: withoutLinks(root), look }));
    }),
  );
  const homes = COLLECTIONS.flatMap((agent) =>
    agentPlaces(agent, project, around).places.map(({ folder }) => ({
      root: withoutLinks(folder),
      look: (file: string, names: readonly string[]) =>
        knownFile(agent.known, names)
          ? null
          : (unreadLink(agent.agent, file) ?? unreadFile(agent.agent, file, UNKNOWN)),
    })),
  );
  return [...roots, ...homes];
}

const UNKNOWN = 'is of a kind that ctx does not know.';
