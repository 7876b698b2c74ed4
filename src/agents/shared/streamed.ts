/** Texts that come in pieces: one that goes on is told anew with all that there is of it, under the id that its part was told with. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import type { Part, ReasoningPart, TextPart } from '../../core/message.ts';
import { idOf } from './fields.ts';
import { readLine } from './lines.ts';
import type { ToolPart } from './parts.ts';
import type { PlainAgent, Saying } from './plain-agent.ts';

/** A part of a message that comes in pieces. */
export type TextualPart = TextPart | ReasoningPart;

/** Where a record stands in a file: its line, from 1, and its index among those on it. */
export interface RecordPlace {
  line: number;
  index: number;
}

/** A text that may go on, as a cursor holds it: what it says stands in the file, for a cursor would tell the beginning of a secret. */
export interface StreamedPlace extends RecordPlace {
  message: string;
  /** The id of its part. */
  part: string;
  type: TextualPart['type'];
  /** Whether it is told beside the conversation, where others may go on meanwhile. */
  is_side?: true;
}

/** Such a place as it came back in a cursor; null where it is none. */
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

/** A text with a piece behind it; the text stays as it is, for it may have been told. */
export const withPiece = (before: TextualPart, piece: TextualPart): TextualPart => ({
  ...before,
  text: before.text + piece.text,
});

/** The pieces in what a record says that belong to a text. */
function piecesIn(sayings: readonly Saying[], { message, type, is_side }: StreamedPlace): TextualPart[] {
  return sayings.flatMap((saying) => {
    if (saying.what !== 'message' || saying.glued !== true) return [];
    const joins = !is_side && saying.joins === true && saying.metadata?.['is_sidechain'] !== true;
    if (saying.id === undefined ? !joins : saying.id !== message) return [];
    return saying.parts.filter(isTextual).filter((part) => part.type === type);
  });
}

/**
 * What there is of a text before a record, by the lines of the file; null where nothing is.
 * @param memory what the agent remembers now
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
      const sayings = agent.says({ record, id: from.message, memory: remembered, cwd: undefined });
      for (const piece of piecesIn(sayings, from)) told = told ? withPiece(told, piece) : piece;
      for (const saying of sayings) if (saying.what === 'remembers') remembered = { ...remembered, ...saying.memory };
    }
  }
  return told;
}
