/** Recordings of the Agent Client Protocol with several sessions on one connection: each session is read by itself. */
import { acp } from '../../agents/acp/index.ts';
import { type Connection, type Owner, readConnection } from '../../agents/acp/sessions.ts';
import type { Collected, Collection } from './collection.ts';
import { transcriptLines } from './lines.ts';
import { ownerOf } from './owner.ts';
import { fileText, type TranscriptText } from './text.ts';

const [LINE_FEED, SPACE] = [0x0a, 0x20];

/** A recording at the time that it was read: it may grow meanwhile. */
interface Recording {
  connection: Connection;
  text: TranscriptText;
  size: number;
}

function record(file: string): Recording {
  const text = fileText(file);
  let size = 0;
  const lines = function* (): Generator<string | null> {
    for (const line of transcriptLines(text.pieces(0))) {
      size = line.end;
      yield line.text;
    }
  };
  return { connection: readConnection(lines()), text, size };
}

/**
 * Returns the text of one session: the lines of other sessions are blanked, so that every line keeps its number and
 * offset in the file. Lines of no session count among those of the first.
 */
function textOfSession(name: string, { connection, text, size }: Recording, session: string): TranscriptText {
  const [first, ...others] = connection.sessions;
  const ownerAt = (line: number): Owner => connection.owners[line] ?? null;
  const isForeign = (line: number): boolean => ![session, null].includes(ownerAt(line));
  return {
    file: name,
    size: () => size,
    writtenAt: text.writtenAt,
    lineInFile: text.lineInFile,
    isCounted: (line) =>
      session === first ? !others.includes(ownerAt(line - 1) ?? '') : ownerAt(line - 1) === session,
    *pieces(from) {
      let [line, at] = [0, 0];
      for (const piece of text.pieces(0)) {
        const own = Buffer.from(piece.subarray(0, size - at));
        for (let start = 0; start < own.length; ) {
          const feed = own.indexOf(LINE_FEED, start);
          const end = feed < 0 ? own.length : feed;
          if (isForeign(line)) own.fill(SPACE, start, end);
          if (feed >= 0) line += 1;
          start = end + 1;
        }
        if (at + own.length > from) yield own.subarray(Math.max(0, from - at));
        at += own.length;
        if (at >= size) return;
      }
    },
  };
}

function lookInto(file: string): Collected[] | null {
  if (ownerOf(file)?.agent !== acp) return null;
  const { sessions, opened } = record(file).connection;
  // A recording of one session is read as an ordinary file, even if that session is still empty.
  if (opened < 2 || sessions.length === 0) return null;
  return sessions.map((session, index) => {
    const name = index === 0 ? file : `${file}#${session}`;
    const open = () => ({ agent: acp, agentSession: session, text: textOfSession(name, record(file), session) });
    return { file: name, written_at: null, open };
  });
}

export const acpConnections: Collection = {
  agent: acp.name,
  look: (path, isFolder) => (isFolder ? null : lookInto(path)),
};
