/** Answers a reader's questions about the files beside its transcript. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Agent, Beside } from '../../agents/contract/agent.ts';
import { readPieces } from '../../platform/pieces.ts';
import { otherOf } from './other-transcript.ts';

/** An id that can be a part of a file's name. */
const PLAIN = /^[\w-]{1,128}$/;

/** Longest beginning of a file that may name its session, in bytes. */
const BEGINNING = 65536;

/** Returns whether there is a file that is not empty. */
function isFilled(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size > 0;
}

/** Lists the files in a folder, and with `deep` the paths of all below it; none if it cannot be listed. */
function filesIn(folder: string, deep: boolean): string[] {
  try {
    return readdirSync(folder, { recursive: deep, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/** Returns the folder that has the transcripts of a transcript's sub-agents, at any depth; null if there is none. */
function folderBeside(agent: Agent, file: string): string | null {
  const place = agent.companion?.subAgents?.(basename(file)) ?? null;
  return place === null ? null : join(dirname(file), place);
}

/** Returns the places with the transcripts of a transcript's sub-agents: a folder beside it, or files. */
export function subAgentsBeside(agent: Agent, file: string): string[] {
  const folder = folderBeside(agent, file);
  const isThere = folder !== null && filesIn(folder, true).some((name) => name.endsWith('.jsonl'));
  return [...(isThere ? [folder] : []), ...filesBeside(agent, file)];
}

/** Returns those among the transcripts of other sessions. */
function filesBeside({ companion }: Agent, file: string): string[] {
  const isOwn = companion?.besideSubAgents?.(basename(file));
  if (!isOwn) return [];
  const folder = dirname(file);
  const own = filesIn(folder, false).filter((name) => isOwn(name, () => beginningOf(join(folder, name))));
  return own.sort().map((name) => join(folder, name));
}

/** Reads the beginning of a file; empty if it cannot be read. */
function beginningOf(path: string): string {
  try {
    if (!statSync(path).isFile()) return '';
    for (const piece of readPieces(path, BEGINNING)) return piece.toString('utf8');
  } catch {
    // A file that cannot be read is ignored.
  }
  return '';
}

/** Returns the surroundings of an agent's transcript; each sub-agent is searched for once. */
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
