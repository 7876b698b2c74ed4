/** Finds where the stored conversation ends in a rewritten transcript, and which messages the whole file holds. */
import type { Resume } from '../../contract/agent.ts';
import { keyOf } from '../keys.ts';
import { endOfPast } from '../past.ts';
import type { Dialect, Meaning } from './dialect.ts';
import { FileMessages } from './file-messages.ts';
import type { StoredVersions } from './stored-versions.ts';

/** Returns whether a record is part of the conversation. Others may stay at the end while messages are added before them. */
const isConversation = ({ message, isStop }: Meaning): boolean =>
  isStop === true || message?.role === 'assistant' || (message?.prompt ?? null) !== null;

/** The stored part of a rewritten transcript. */
export interface Past {
  /** The number of the last line with a stored message; 0 if no line has one. */
  end: number;
  /** The messages in the file. */
  messages: FileMessages;
}

/** Reads a rewritten file, and returns its stored part and its messages. */
export function readPast(
  { read, meaningOf, restoresRewound }: Dialect,
  resume: Resume | null,
  kept: StoredVersions | null,
): Past {
  const messages = new FileMessages(restoresRewound === true);
  const lines = resume?.lines;
  const watched =
    lines &&
    function* () {
      for (const line of lines()) {
        if (line.text === null) messages.markIncomplete();
        yield line;
      }
    };
  const end = endOfPast(resume && { ...resume, lines: watched }, kept?.lines ?? new Map(), (line) => {
    const { records, problem } = read(line);
    if (problem !== null) messages.markIncomplete();
    return records.flatMap((record) => {
      const key = keyOf(record);
      const meaning = meaningOf(record, key);
      messages.add(meaning);
      return isConversation(meaning) ? [key] : [];
    });
  });
  return { end, messages };
}
