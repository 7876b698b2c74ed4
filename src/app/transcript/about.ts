/** Reads what a transcript says about its session: its first lines, its last ones, its path and its companion file. */
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { About, Agent, TranscriptEvent } from '../../agents/contract/agent.ts';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { sha256 } from '../../platform/hash.ts';
import { readPieces } from '../../platform/pieces.ts';
import { pathsOf } from '../setup/project-paths.ts';
import { folderNamed } from './named-folder.ts';
import { besideOf } from './neighbouring-files.ts';
import { firstLines, type Recognised, type TranscriptText } from './text.ts';

/** Lengths of the end that is searched for a time, in bytes: more and more, if a line is long. */
const WINDOWS = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/** Largest file beside a transcript that is read, in bytes. */
const COMPANION_LIMIT = 64 * 1024;

/**
 * Returns what the first lines say about the session, up to the one that names its folder.
 * @param folders where the agent may have worked
 * @throws {CtxError} io
 */
export function beginningAbout({ agent, text }: Pick<Recognised, 'agent' | 'text'>, folders: readonly string[]): About {
  const around = aboutAround(agent, text.file);
  return withFolder({ ...around, ...firstLinesAbout(agent, text) }, around, folders);
}

function firstLinesAbout(agent: Agent, text: TranscriptText): About {
  const reader = agent.reader(null, besideOf(agent, text.file));
  const about: About = {};
  const hear = (events: Iterable<TranscriptEvent>): void => {
    for (const event of events) if (event.type === 'about') Object.assign(about, event.session);
  };
  let number = 0;
  for (const line of firstLines(text)) {
    number += 1;
    hear(reader.line(line, number));
    if (about.agent_session_id !== undefined && about.cwd !== undefined) return about;
  }
  // A reader may hold back an event until a message is complete.
  hear(reader.end());
  return about;
}

/**
 * Returns the time of the last event in a transcript, in Unix seconds; null if it has no times.
 * @throws {CtxError} io
 */
export function lastTimeOf({ agent, text }: Pick<Recognised, 'agent' | 'text'>): number | null {
  const size = text.size();
  for (const window of WINDOWS) {
    const from = Math.max(0, size - window);
    // The first line of a range from the middle is incomplete.
    const lines = linesIn(text, from, window).slice(from === 0 ? 0 : 1);
    const reader = agent.reader(null);
    let last = 0;
    for (const [index, line] of lines.entries()) last = latest(last, reader.line(line, index + 1));
    last = latest(last, reader.end());
    if (last > 0) return last;
    if (from === 0) return null;
  }
  return null;
}

const latest = (before: number, events: Iterable<TranscriptEvent>): number =>
  [...events].reduce((last, event) => ('at' in event ? Math.max(last, event.at) : last), before);

/** Returns the lines of a range of a text. */
function linesIn(text: TranscriptText, from: number, most: number): string[] {
  const held: Buffer[] = [];
  let left = most;
  for (const piece of text.pieces(from)) {
    held.push(Buffer.from(piece.subarray(0, left)));
    left -= piece.length;
    if (left <= 0) break;
  }
  return Buffer.concat(held).toString('utf8').split('\n');
}

/** Returns what the path of a transcript and the file beside it say about its session; null if nothing. */
export function aboutAround(agent: Agent, file: string): About | null {
  const placed = agent.aboutPath?.(resolve(file).replaceAll('\\', '/')) ?? {};
  const around = { ...placed, ...companionAbout(agent, file) };
  return Object.keys(around).length === 0 ? null : around;
}

/** Properties that only the path of a sub-agent's transcript, or the file beside it, states. */
const SIGNS = ['parent_agent_session_id', 'parent_tool_call_id', 'sub_agent_type'] as const;

/** Returns whether the path or the companion of a transcript says that it is a sub-agent's. */
export const isSubAgentsPlace = (around: About | null): boolean => SIGNS.some((sign) => around?.[sign] !== undefined);

/** Reads the companion file of a transcript, if its agent writes one; null if it cannot be read. */
function companionAbout(agent: Agent, file: string): About | null {
  for (const place of agent.companion?.placesOf(basename(file)) ?? []) {
    const path = join(dirname(file), place);
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat?.isFile() || stat.size > COMPANION_LIMIT) continue;
      for (const piece of readPieces(path, COMPANION_LIMIT))
        return agent.companion?.about(piece.toString('utf8')) ?? null;
    } catch {
      // Another place may have one.
    }
  }
  return null;
}

/**
 * Adds to what is known about a session the folder that its agent worked in. The companion file is the agent's own
 * statement; a hash can only be compared with the known folders; a name is searched for.
 * @param folders where the agent may have worked
 */
export function withFolder(known: About, beside: About | null, folders: readonly string[]): About {
  const { cwd_hash, cwd_name } = known;
  const hashed = cwd_hash === undefined ? undefined : folders.find((folder) => sha256(folder) === cwd_hash);
  const named = (): string | undefined => (cwd_name === undefined ? undefined : folderNamed(cwd_name, folders));
  const cwd = beside?.cwd ?? known.cwd ?? hashed ?? named();
  return cwd === undefined ? known : { ...known, cwd };
}

/**
 * Returns the folders that an agent may have worked in, as far as ctx knows: the current one, and those above it in its
 * project.
 */
export function foldersAround(project: string, from = project): string[] {
  const root = pathsOf(project);
  const folders = [...root];
  for (let at = resolve(from); isWithin(at, root) && !root.includes(at); at = dirname(at)) folders.push(...pathsOf(at));
  return folders;
}
