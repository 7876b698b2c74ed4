/** The texts of a conversation that may go on: the pieces of each become one part, whatever of it was given before. */
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
  isSide: boolean;
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

class OpenText {
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
    const { part: piece, partId, at, place, line, isKnown, isSide } = told;
    if (!place || !isTextual(piece)) return false;
    const goesOn = this.#isNext(draft.id, told);
    if (!goesOn) this.end();
    const side = isSide ? { is_side: true as const } : {};
    this.#known ??= { ...knownAt({ message: draft.id, part: partId, type: piece.type, ...place, ...side }), isKnown };
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

/** Texts that are told beside the conversation and may go on at the same time. */
const SIDES_LIMIT = 8;

export class OpenTexts {
  readonly #givePart: GivePart;
  readonly #keptId: (message: string) => string | undefined;
  /** That of the conversation itself: it came last. */
  readonly #main: OpenText;
  /** Those beside it, by their messages. */
  readonly #sides = new Map<string, OpenText>();

  /** @param keptId the id of the part that a message was given with last, where its text could go on */
  constructor(givePart: GivePart, keptId: (message: string) => string | undefined) {
    this.#givePart = givePart;
    this.#keptId = keptId;
    this.#main = new OpenText(givePart, keptId);
  }

  /** Where they stand, as a cursor holds it. */
  get places(): StreamedPlace[] {
    return [this.#main, ...this.#sides.values()].flatMap(({ place }) => place ?? []);
  }

  /** The message of the conversation itself whose text may go on; null where none may. */
  get message(): string | null {
    return this.#main.place?.message ?? null;
  }

  /** Notes those of an earlier part of the transcript. */
  expect(places: readonly StreamedPlace[]): void {
    for (const place of places) this.#of(place.message, place.is_side === true).expect(place);
  }

  #of(message: string, isSide: boolean): OpenText {
    if (!isSide) return this.#main;
    const known = this.#sides.get(message);
    if (known) return known;
    const text = new OpenText(this.#givePart, this.#keptId);
    this.#sides.set(message, text);
    const [oldest] = this.#sides.keys();
    if (oldest !== undefined && this.#sides.size > SIDES_LIMIT) {
      this.#sides.get(oldest)?.end();
      this.#sides.delete(oldest);
    }
    return text;
  }

  /** One of an earlier part that goes on with a piece of this kind: what there is of it must be taken up first. */
  toTakeUp(message: string, type: string): StreamedPlace | null {
    return (this.#sides.get(message) ?? this.#main).toTakeUp(message, type);
  }

  /** Takes up what there is of it; null where nobody knows. */
  takeUp({ message, is_side }: StreamedPlace, part: TextualPart | null): void {
    this.#of(message, is_side === true).takeUp(part);
  }

  /** Takes a piece. False where it is none of a text: then that of its message is complete. */
  add(draft: Draft, isGlued: boolean, piece: Piece): boolean {
    const text = piece.isSide && !isGlued ? this.#sides.get(draft.id) : this.#of(draft.id, piece.isSide);
    if (isGlued && text?.add(draft, piece)) return true;
    text?.end();
    return false;
  }

  /** Gives what there is of them. */
  give(): void {
    for (const text of [this.#main, ...this.#sides.values()]) text.give();
  }

  /** That of the conversation itself is complete. */
  end(): void {
    this.#main.end();
  }
}
