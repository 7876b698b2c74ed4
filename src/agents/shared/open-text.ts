/** The text of a conversation that came last, while it may go on: its pieces become one part, whatever of it was given before. */
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { Draft } from './outbox.ts';
import type { ToolPart } from './parts.ts';
import { isTextual, type RecordPlace, type StreamedPlace, type TextualPart, withPiece } from './streamed.ts';

/** Gives a part of a message that was given before. */
export type GivePart = (at: number, message: string, partId: string, part: Part, lines: JsonObject[]) => void;

/** A piece of a text. */
export interface Piece {
  part: Part | ToolPart;
  /** The id of its part where the text begins with it. */
  partId: string;
  at: number;
  /** Whether it was given before, in a file that was written anew. */
  isKnown: boolean;
  place: RecordPlace | undefined;
  /** What is told of its line; null where that is told with its message. */
  line: JsonObject | null;
}

/** What is known of it. */
interface Known {
  place: StreamedPlace;
  /** All there is of it; null where that stands in an earlier part of the transcript and no piece has come since. */
  part: TextualPart | null;
  /** Its message while that is held. */
  draft: Draft | null;
  at: number;
  /** Whether all of it was given before, in a file that was written anew. */
  isKnown: boolean;
  /** Whether there is more of it than was given, and the lines that told that. */
  hasNews: boolean;
  lines: JsonObject[];
}

const knownAt = (place: StreamedPlace, at = 0): Known => ({
  ...{ place, part: null, draft: null, at },
  ...{ isKnown: false, hasNews: false, lines: [] },
});

export class OpenText {
  readonly #givePart: GivePart;
  readonly #keptId: (message: string) => string | undefined;
  #known: Known | null = null;

  /** @param keptId the id of the part that a message was given with last, where its text could go on */
  constructor(givePart: GivePart, keptId: (message: string) => string | undefined) {
    this.#givePart = givePart;
    this.#keptId = keptId;
  }

  /** Where it stands; null where no text may go on. */
  get place(): StreamedPlace | null {
    return this.#known?.place ?? null;
  }

  /** Notes one of an earlier part of the transcript. */
  expect(place: StreamedPlace): void {
    this.#known = knownAt(place);
  }

  #goesOn(message: string, type: string): boolean {
    return this.#known?.place.message === message && this.#known.place.type === type;
  }

  /** One of an earlier part that goes on with a piece of this kind: what there is of it must be taken up first. */
  toTakeUp(message: string, type: string): StreamedPlace | null {
    return this.#known?.part === null && this.#goesOn(message, type) ? this.place : null;
  }

  /** Takes up what there is of it; null where nobody knows. */
  takeUp(part: TextualPart | null): void {
    if (!this.#known || !part) this.#known = null;
    else this.#known.part = part;
  }

  /** Whether a piece goes on with it; with one that was given before, only where that was given as one that may go on. */
  #isNext(message: string, { part, isKnown }: Piece): boolean {
    if (!this.#known || !this.#goesOn(message, part.type)) return false;
    if (isKnown || !this.#known.isKnown) return true;
    const id = this.#keptId(message);
    if (id === undefined) return false;
    this.#known.place.part = id;
    this.#known.isKnown = false;
    return true;
  }

  /** Takes a piece. False where it is none of a text. */
  add(draft: Draft, told: Piece): boolean {
    const { part: piece, partId, at, place, line, isKnown } = told;
    if (!place || !isTextual(piece)) return false;
    const goesOn = this.#isNext(draft.id, told);
    if (!goesOn) this.end();
    this.#known ??= { ...knownAt({ message: draft.id, part: partId, type: piece.type, ...place }), isKnown };
    const known = this.#known;
    // What was given stays as it was.
    known.part = known.part ? withPiece(known.part, piece) : piece;
    known.at = at;
    if (isKnown) return true;
    if (draft.isGiven) {
      known.hasNews = true;
      if (line) known.lines.push(line);
      return true;
    }
    if (goesOn) draft.parts.pop();
    draft.parts.push(known.part);
    draft.open = known.place.part;
    known.draft = draft;
    return true;
  }

  /** Gives what there is of it. */
  give(): void {
    const known = this.#known;
    if (!known?.hasNews || !known.part) return;
    const { message, part: id } = known.place;
    this.#givePart(known.at, message, id, { ...known.part, id }, known.lines);
    Object.assign(known, { hasNews: false, lines: [] });
  }

  /** It is complete: what comes next is another one. */
  end(): void {
    this.give();
    if (this.#known?.draft) this.#known.draft.open = undefined;
    this.#known = null;
  }
}
