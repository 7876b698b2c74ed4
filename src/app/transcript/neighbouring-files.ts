/** What a reader may ask of what stands beside its transcript. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Agent, Beside } from '../../agents/agent.ts';
import { readPieces } from '../../platform/pieces.ts';
import { otherOf } from './others.ts';

/** An id that may be a part of a file's name. */
const PLAIN = /^[\w-]{1,128}$/;

/** Longest beginning of a file in which it says of which session it is, in bytes. */
const BEGINNING = 65536;

/** Whether there is a file with something in it. */
function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

/** The names of files in a folder, and with `deep` the paths of all below it; none if it cannot be listed. */
function filesIn(folder: string, deep: boolean): string[] {
  try {
    return readdirSync(folder, { recursive: deep, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** The folder in which the transcripts of a transcript's sub-agents stand, however deep; null if it has none. */
function folderBeside(agent: Agent, file: string): string | null {
  const place = agent.companion?.subAgents?.(basename(file)) ?? null;
  return place === null ? null : join(dirname(file), place);
}

/** Where the transcripts of a transcript's sub-agents stand: a folder beside it, or files. */
export function subAgentsBeside(agent: Agent, file: string): string[] {
  const folder = folderBeside(agent, file);
  const isThere = folder !== null && filesIn(folder, true).some((name) => name.endsWith('.jsonl'));
  return [...(isThere ? [folder] : []), ...filesBeside(agent, file)];
}

/** Those that stand among the transcripts of other sessions. */
function filesBeside({ companion }: Agent, file: string): string[] {
  const isOwn = companion?.besideSubAgents?.(basename(file));
  if (!isOwn) return [];
  const folder = dirname(file);
  const own = filesIn(folder, false).filter((name) => isOwn(name, () => beginningOf(join(folder, name))));
  return own.sort().map((name) => join(folder, name));
}

/** The beginning of a file; empty if it cannot be read. */
function beginningOf(path: string): string {
  try {
    if (!statSync(path).isFile()) return '';
    for (const piece of readPieces(path, BEGINNING)) return piece.toString('utf8');
  } catch {
    // What nobody can read is nobody's.
  }
  return '';
}

/** What stands beside the transcript of an agent; each sub-agent is looked for once. */
export function besideOf(agent: Agent, file: string): Beside {
  const known = new Map<string, boolean>();
  let below: ReadonlySet<string> | undefined;
  const namesBelow = (): ReadonlySet<string> => {
    const folder = folderBeside(agent, file);
    if (folder === null) return new Set();
    return new Set(filesIn(folder, true).flatMap((path) => (isFilled(join(folder, path)) ? basename(path) : [])));
  };
  const isBelow = (name: string | undefined): boolean => {
    if (name === undefined) return false;
    below ??= namesBelow();
    return below.has(name);
  };
  const look = (id: string): boolean => {
    if (!PLAIN.test(id)) return false;
    const places = agent.companion?.transcriptsOf?.(basename(file), id) ?? [];
    return places.some((place) => isFilled(join(dirname(file), place))) || isBelow(agent.companion?.subAgentName?.(id));
  };
  return {
    hasTranscriptOf: (id) => {
      const found = known.get(id) ?? look(id);
      known.set(id, found);
      return found;
    },
    isBelowCaller: agent.aboutPath?.(resolve(file).replaceAll('\\', '/')).parent_agent_session_id !== undefined,
    other: (id, from) => (PLAIN.test(id) ? otherOf(agent, from?.file ?? file, id) : null),
  };
}
