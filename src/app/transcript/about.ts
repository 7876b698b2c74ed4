/** What a transcript tells of itself at a glance: its first lines, its last ones, and what stands beside it. */
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { About, Agent, TranscriptEvent } from '../../agents/agent.ts';
import { isWithin } from '../../agents/transcript-places.ts';
import { sha256 } from '../../platform/hash.ts';
import { readPieces } from '../../platform/pieces.ts';
import { folderNamed } from './named-folder.ts';
import { besideOf } from './neighbouring-files.ts';
import { pathsOf } from './project-paths.ts';
import { firstLines, type Recognised, type TranscriptText } from './text.ts';

/** How much of the end is looked at for a time, in bytes: more and more, where a line is long. */
const WINDOWS = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/** Largest file beside a transcript that is read, in bytes. */
const COMPANION_LIMIT = 64 * 1024;

/**
 * What the first lines tell of the session, up to the one that names its folder.
 * @param folders where the agent may have worked
 * @throws {CtxError} io
 */
export function beginningAbout({ agent, text }: Pick<Recognised, 'agent' | 'text'>, folders: readonly string[]): About {
  const around = aboutAround(agent, text.file);
  return located({ ...around, ...toldAtFirst(agent, text) }, around, folders);
}

function toldAtFirst(agent: Agent, text: TranscriptText): About {
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
  // A reader may hold back what it tells until a message is complete.
  hear(reader.end());
  return about;
}

/** When the last thing happened that a transcript tells of, in Unix seconds; null where it tells no time. @throws {CtxError} io */
export function lastTimeOf({ agent, text }: Pick<Recognised, 'agent' | 'text'>): number | null {
  const size = text.size();
  for (const window of WINDOWS) {
    const from = Math.max(0, size - window);
    // The first line of a stretch out of the middle is half a line.
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

/** The lines of a stretch of a text. */
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

/** What the path of a transcript tells, and the file beside it; null where nothing does. */
export function aboutAround(agent: Agent, file: string): About | null {
  const placed = agent.aboutPath?.(resolve(file).replaceAll('\\', '/')) ?? {};
  const around = { ...placed, ...companionAbout(agent, file) };
  return Object.keys(around).length === 0 ? null : around;
}

/** What only the place of a sub-agent's transcript tells, or the file beside it. */
const SIGNS = ['parent_agent_session_id', 'parent_tool_call_id', 'sub_agent_type'] as const;

/** Whether what stands around a transcript says that it is a sub-agent's. */
export const tellsOfCaller = (around: About | null): boolean => SIGNS.some((sign) => around?.[sign] !== undefined);

/** What the file beside a transcript tells, where its agent puts one there. What cannot be read of it tells nothing. */
function companionAbout(agent: Agent, file: string): About | null {
  for (const place of agent.companion?.placesOf(basename(file)) ?? []) {
    const path = join(dirname(file), place);
    try {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat?.isFile() || stat.size > COMPANION_LIMIT) continue;
      for (const piece of readPieces(path, COMPANION_LIMIT))
        return agent.companion?.about(piece.toString('utf8')) ?? null;
    } catch {
      // Another may be there.
    }
  }
  return null;
}

/**
 * What is told of a session, with the folder that its agent worked in: what stands beside the transcript is the agent's own
 * word for it; of a hash, one can only tell whether it is that of a folder which is known, and a name is looked for.
 * @param folders where the agent may have worked
 */
export function located(told: About, beside: About | null, folders: readonly string[]): About {
  const { cwd_hash, cwd_name } = told;
  const hashed = cwd_hash === undefined ? undefined : folders.find((folder) => sha256(folder) === cwd_hash);
  const named = (): string | undefined => (cwd_name === undefined ? undefined : folderNamed(cwd_name, folders));
  const cwd = beside?.cwd ?? told.cwd ?? hashed ?? named();
  return cwd === undefined ? told : { ...told, cwd };
}

/** The folders that an agent may have worked in as far as ctx knows: the one that it runs in, and those above it in its project. */
export function foldersAround(project: string, from = project): string[] {
  const root = pathsOf(project);
  const folders = [...root];
  for (let at = resolve(from); isWithin(at, root) && !root.includes(at); at = dirname(at)) folders.push(...pathsOf(at));
  return folders;
}
