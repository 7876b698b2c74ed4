/** Texts that come in pieces: one that continues is given again whole, under the id that its part was given with. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import type { Part, ReasoningPart, TextPart } from '../../core/message.ts';
import { idOf } from './fields.ts';
import { readLine } from './lines.ts';
import type { ToolPart } from './parts.ts';
import type { PlainAgent, RecordEvent } from './plain-agent.ts';

/** A part of a message that comes in pieces. */
export type TextualPart = TextPart | ReasoningPart;

/** The position of a record in a file: its line, from 1, and its index among the records on it. */
export interface RecordPlace {
  line: number;
  index: number;
}

/** A text that may continue, as a cursor holds it: its words are in the file only, for a cursor could hold the beginning of a secret. */
export interface StreamedPlace extends RecordPlace {
  message: string;
  /** The id of its part. */
  part: string;
  type: TextualPart['type'];
  /** True if it is beside the conversation: other texts may continue at the same time. */
  is_side?: true;
}

/** Reads such a position from a cursor; null if it is none. */
export function readStreamedPlace(value: JsonValue | undefined): StreamedPlace | null {
  const fields = objectOf(value);
  const message = idOf(fields?.['message']);
  const part = idOf(fields?.['part']);
  const type = fields?.['type'];
  const line = numberOf(fields?.['line']);
  if (message === undefined || part === undefined || line === undefined) return null;
  if (type !== 'text' && type !== 'reasoning') return null;
  const side = fields?.['is_side'] === true ? { is_side: true as const } : {};
  return { message, part, type, line, index: numberOf(fields?.['index']) ?? 0, ...side };
}

export const isTextual = (part: Part | ToolPart): part is TextualPart =>
  (part.type === 'text' || part.type === 'reasoning') && typeof part['text'] === 'string';

/** Returns a text with a piece after it; the text itself stays unchanged, for it may have been given. */
export const withPiece = (before: TextualPart, piece: TextualPart): TextualPart => ({
  ...before,
  text: before.text + piece.text,
});

/** Returns the pieces of a text in the events of a record. */
function piecesIn(events: readonly RecordEvent[], { message, type, is_side }: StreamedPlace): TextualPart[] {
  return events.flatMap((event) => {
    if (event.what !== 'message' || event.glued !== true) return [];
    const joins = !is_side && event.joins === true && event.metadata?.['is_sidechain'] !== true;
    if (event.id === undefined ? !joins : event.id !== message) return [];
    return event.parts.filter(isTextual).filter((part) => part.type === type);
  });
}

/**
 * Returns the text so far before a record, from the lines of the file; null if there is none.
 * @param memory the agent's state now
 */
export function textInLines(
  agent: PlainAgent,
  lines: Iterable<{ text: string | null; number: number }>,
  from: StreamedPlace,
  until: RecordPlace,
  memory: JsonObject,
): TextualPart | null {
  let remembered = memory;
  let told: TextualPart | null = null;
  for (const { text, number: line } of lines) {
    if (line > until.line) break;
    if (line < from.line || text === null) continue;
    for (const [index, record] of readLine(text, agent.shape).records.entries()) {
      if ((line === from.line && index < from.index) || (line === until.line && index >= until.index)) continue;
      const events = agent.eventsOf({ record, id: from.message, memory: remembered, cwd: undefined });
      for (const piece of piecesIn(events, from)) told = told ? withPiece(told, piece) : piece;
      for (const event of events) if (event.what === 'remembers') remembered = { ...remembered, ...event.memory };
    }
  }
  return told;
}
