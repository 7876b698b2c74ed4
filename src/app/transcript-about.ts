/** What a transcript tells of itself at a glance: its first lines, its last ones, and what stands beside it. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { About, Agent, TranscriptEvent } from '../agents/agent.ts';
import { readPieces } from '../platform/pieces.ts';
import { BEGINNING, type Recognised, type TranscriptText } from './transcript-text.ts';

/** How much of the end is looked at for a time, in bytes: more and more, where a line is long. */
const WINDOWS = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/** Largest file beside a transcript that is read, in bytes. */
const COMPANION_LIMIT = 64 * 1024;

/** What the first lines tell of the session, up to the one that names its folder. @throws {CtxError} io */
export function beginningAbout({ agent, text }: Pick<Recognised, 'agent' | 'text'>): About {
  const reader = agent.reader(null);
  const about: About = {};
  const hear = (events: Iterable<TranscriptEvent>): void => {
    for (const event of events) if (event.type === 'about') Object.assign(about, event.session);
  };
  for (const [index, line] of linesIn(text, 0, BEGINNING).entries()) {
    hear(reader.line(line, index + 1));
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

/** What the file beside a transcript tells, where its agent puts one there. What cannot be read of it tells nothing. */
export function companionAbout(agent: Agent, file: string): About | null {
  const name = agent.companion?.nameOf(basename(file)) ?? null;
  if (name === null) return null;
  const path = join(dirname(file), name);
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > COMPANION_LIMIT) return null;
    for (const piece of readPieces(path, COMPANION_LIMIT))
      return agent.companion?.about(piece.toString('utf8')) ?? null;
  } catch {
    return null;
  }
  return null;
}
