/** The texts of a conversation that may continue: the pieces of each become one part, even if some were given before. */
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
  /** The id of the part, if the text begins with this piece. */
  partId: string;
  at: number;
  /** True if it was given before, in a file that was rewritten. */
  isKnown: boolean;
  isSide: boolean;
  place: RecordPlace | undefined;
  /** The kept part of its line; null if that is kept with its message. */
  line: JsonObject | null;
}

/** An open text, as far as it is known. */
interface Known {
  place: StreamedPlace;
  /** The whole text so far; null if it is in an earlier part of the transcript and no piece has come since. */
  part: TextualPart | null;
  /** Its message while that is held. */
  draft: Draft | null;
  at: number;
  /** True if the whole text was given before, in a file that was rewritten. */
  isKnown: boolean;
  /** True if the text has more than was given, with the lines that added it. */
  hasNews: boolean;
  lines: JsonObject[];
}

const knownAt = (place: StreamedPlace, at = 0): Known => ({
  ...{ place, part: null, draft: null, at },
  ...{ isKnown: false, hasNews: false, lines: [] },
});

/** A text that may continue. */
class OpenText {
  readonly #givePart: GivePart;
  readonly #keptId: (message: string) => string | undefined;
  #known: Known | null = null;

  /** @param keptId returns the id of the part that a message ended with, if the text of that part could continue */
  constructor(givePart: GivePart, keptId: (message: string) => string | undefined) {
    this.#givePart = givePart;
    this.#keptId = keptId;
  }

  /** The position of the text; null if there is none. */
  get place(): StreamedPlace | null {
    return this.#known?.place ?? null;
  }

  /** Sets the text of an earlier part of the transcript. */
  expect(place: StreamedPlace): void {
    this.#known = knownAt(place);
  }

  #goesOn(message: string, type: string): boolean {
    return this.#known?.place.message === message && this.#known.place.type === type;
  }

  /** Returns the position of a text of an earlier part that a piece of this kind continues: `takeUp` must be called first. */
  toTakeUp(message: string, type: string): StreamedPlace | null {
    return this.#known?.part === null && this.#goesOn(message, type) ? this.place : null;
  }

  /** Sets the earlier pieces of the text; null if they are unknown. */
  takeUp(part: TextualPart | null): void {
    if (!this.#known || !part) this.#known = null;
    else this.#known.part = part;
  }

  /** Returns whether a piece continues the text; a text that was given before only if it was given as one that may continue. */
  #isNext(message: string, { part, isKnown }: Piece): boolean {
    if (!this.#known || !this.#goesOn(message, part.type)) return false;
    if (isKnown || !this.#known.isKnown) return true;
    const id = this.#keptId(message);
    if (id === undefined) return false;
    this.#known.place.part = id;
    this.#known.isKnown = false;
    return true;
  }

  /** Adds a piece. Returns false if it is no piece of a text. */
  add(draft: Draft, told: Piece): boolean {
    const { part: piece, partId, at, place, line, isKnown, isSide } = told;
    if (!place || !isTextual(piece)) return false;
    const goesOn = this.#isNext(draft.id, told);
    if (!goesOn) this.end();
    const side = isSide ? { is_side: true as const } : {};
    this.#known ??= { ...knownAt({ message: draft.id, part: partId, type: piece.type, ...place, ...side }), isKnown };
    const known = this.#known;
    // A part that was given stays unchanged.
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

  /** Gives the text so far, if it has news. */
  give(): void {
    const known = this.#known;
    if (!known?.hasNews || !known.part) return;
    const { message, part: id } = known.place;
    this.#givePart(known.at, message, id, { ...known.part, id }, known.lines);
    Object.assign(known, { hasNews: false, lines: [] });
  }

  /** Ends the text: the next piece begins another one. */
  end(): void {
    this.give();
    if (this.#known?.draft) this.#known.draft.open = undefined;
    this.#known = null;
  }
}

/** The number of texts beside the conversation that may continue at the same time. */
const SIDES_LIMIT = 8;

/** The open texts of a conversation. */
export class OpenTexts {
  readonly #givePart: GivePart;
  readonly #keptId: (message: string) => string | undefined;
  /** The text of the conversation itself. */
  readonly #main: OpenText;
  /** The texts beside it, by their messages. */
  readonly #sides = new Map<string, OpenText>();

  /** @param keptId returns the id of the part that a message ended with, if the text of that part could continue */
  constructor(givePart: GivePart, keptId: (message: string) => string | undefined) {
    this.#givePart = givePart;
    this.#keptId = keptId;
    this.#main = new OpenText(givePart, keptId);
  }

  /** The positions of the texts, as a cursor holds them. */
  get places(): StreamedPlace[] {
    return [this.#main, ...this.#sides.values()].flatMap(({ place }) => place ?? []);
  }

  /** The message of the conversation itself whose text may continue; null if there is none. */
  get message(): string | null {
    return this.#main.place?.message ?? null;
  }

  /** Sets the texts of an earlier part of the transcript. */
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

  /** Returns the position of a text of an earlier part that a piece of this kind continues: `takeUp` must be called first. */
  toTakeUp(message: string, type: string): StreamedPlace | null {
    return (this.#sides.get(message) ?? this.#main).toTakeUp(message, type);
  }

  /** Sets the earlier pieces of a text; null if they are unknown. */
  takeUp({ message, is_side }: StreamedPlace, part: TextualPart | null): void {
    this.#of(message, is_side === true).takeUp(part);
  }

  /** Adds a piece. Returns false if it is no piece of a text: then the text of its message ends. */
  add(draft: Draft, isGlued: boolean, piece: Piece): boolean {
    const text = piece.isSide && !isGlued ? this.#sides.get(draft.id) : this.#of(draft.id, piece.isSide);
    if (isGlued && text?.add(draft, piece)) return true;
    text?.end();
    return false;
  }

  /** Gives the texts so far. */
  give(): void {
    for (const text of [this.#main, ...this.#sides.values()]) text.give();
  }

  /** Ends the text of the conversation itself. */
  end(): void {
    this.#main.end();
  }
}
