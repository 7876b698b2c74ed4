/** The messages of a transcript as they grow: lines become drafts with parts, and results are put into their calls. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { Call } from './basic-cursor.ts';
import { FreeNames, IN_ORDER, isNth, isSameCall, nthOf } from './one-id.ts';
import { OpenTexts } from './open-text.ts';
import { type Draft, type Outbox, UNKNOWN_TIME } from './outbox.ts';
import { isToolPart, type Result, type ToolPart, withoutResult, withResult } from './parts.ts';
import type { RecordPlace } from './streamed.ts';
import type { Tokens } from './usage.ts';

/** A call without a result, with its message while that is held, and its index among the parts of that message. */
interface OpenCall extends Call {
  draft: Draft | null;
  place: number;
}

/** Additions of a new line to a message. */
export interface Arrival {
  id: string;
  role: Draft['role'];
  at: number;
  isSide: boolean;
  parts: readonly (Part | ToolPart)[];
  /** The kept part of the line itself; null if that was kept with another message. */
  line: JsonObject | null;
  /** True if a text continues where the last part stopped. */
  isGlued?: boolean;
  /** The position in the file; needed if the text is glued. */
  place?: RecordPlace;
  /** Identifies the line among those of its message. */
  lineId: string;
  /** Metadata that the line gives its message; a later line wins. */
  metadata: JsonObject;
}

const listOf = (line: JsonObject | null): JsonObject[] => (line ? [line] : []);

/** The messages and calls of a transcript. */
export class Conversation {
  readonly #outbox: Outbox;
  /** Messages of this turn. */
  readonly #drafts = new Map<string, Draft>();
  /** Every message that was given or is held. */
  readonly #ids = new Set<string>();
  readonly #open = new Map<string, OpenCall>();
  readonly #resolved = new Set<string>();
  readonly #freeNames = new FreeNames();
  /** True if any call has an id that was made unique: this is rare, and a search for such ids at each call is slow. */
  #hasNth = false;
  /** Tokens counted for each message. */
  readonly counted = new Map<string, Tokens>();
  /** Highest `seq` given. */
  seq: number;
  /** The texts that may continue. */
  readonly texts: OpenTexts;

  /** @param keptId returns the id of the part that a message ended with, if the text of that part could continue */
  constructor(outbox: Outbox, seq: number, keptId: (message: string) => string | undefined = () => undefined) {
    this.#outbox = outbox;
    this.seq = seq;
    this.texts = new OpenTexts((at, message, id, part, lines) => {
      this.#givePart(at, message, id, part, lines, null);
    }, keptId);
  }

  /** The calls without a result, oldest first. */
  get openCalls(): Call[] {
    return [...this.#open.values()].map(({ draft: _draft, place: _place, ...call }) => call);
  }

  /** Adds the id of a message of an earlier part of the transcript. */
  know(id: string): void {
    this.#ids.add(id);
  }

  /** Adds a call of an earlier part of the transcript. */
  expect(call: Call): void {
    this.know(call.message_id);
    this.#hasNth ||= isNth(call.id);
    this.#open.set(call.id, { ...call, draft: null, place: -1 });
  }

  knows(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Returns the call of an id that waits for its result; of several with one id, the first whose turn continues. */
  call(id: string): Call | undefined {
    const all = this.#allOf(id);
    return all.find(({ is_over }) => is_over !== true) ?? all[0];
  }

  /** Returns the calls without a result that have an id. */
  #allOf(id: string): OpenCall[] {
    const ids = this.#hasNth ? IN_ORDER.map((nth) => nthOf(id, nth)) : [id];
    return ids.flatMap((one) => this.#open.get(one) ?? []);
  }

  #idOfItsOwn(id: string): string {
    this.#hasNth = true;
    return this.#freeNames.free(id, (one) => this.#isKnown(one));
  }

  #isKnown(id: string): boolean {
    return this.#open.has(id) || this.#resolved.has(id);
  }

  isResolved(id: string): boolean {
    return this.#resolved.has(id);
  }

  /** Marks the id of a call with a result as free for another call. */
  renew(id: string): void {
    this.#resolved.delete(id);
    this.#freeNames.release(id);
  }

  resolve(id: string): void {
    this.#open.delete(id);
    this.#resolved.add(id);
  }

  #draftOf(arrival: Arrival): Draft {
    const held = this.#drafts.get(arrival.id);
    if (held) return held;
    const isGiven = this.#ids.has(arrival.id) || this.#outbox.isQuiet;
    const created_at = arrival.at;
    const draft: Draft = {
      id: arrival.id,
      role: arrival.role,
      parts: [],
      metadata: { created_at, lines: [] },
      at: created_at,
      isGiven,
    };
    this.#drafts.set(arrival.id, draft);
    this.#ids.add(arrival.id);
    if (!isGiven) this.#outbox.putDraft(draft);
    return draft;
  }

  /** Adds a line to its message. Returns false if the message was given before and the line adds nothing to it. */
  add(arrival: Arrival): boolean {
    if (!arrival.isSide && this.texts.message !== arrival.id) this.texts.end();
    const draft = this.#draftOf(arrival);
    const calls = new Map<string, ToolPart>();
    const parts = arrival.parts.flatMap((told, index) => {
      const part = isToolPart(told) ? this.#newCall(told, draft, arrival.isSide, calls) : told;
      return part ? [{ part, index }] : [];
    });
    if (!draft.isGiven) {
      for (const { part, index } of parts)
        if (!this.#isPiece(arrival, draft, part, index, null)) this.#put(draft, part);
      const lines = draft.metadata['lines'] as JsonValue[];
      if (arrival.line) lines.push(arrival.line);
      Object.assign(draft.metadata, arrival.metadata, { lines });
      return true;
    }
    for (const [position, { part, index }] of parts.entries()) {
      const partId = isToolPart(part) ? part.toolCallId : `${arrival.lineId}/${index}`;
      const isFirst = position === 0;
      const line = isFirst ? arrival.line : null;
      if (this.#isPiece(arrival, draft, part, index, line)) continue;
      const metadata = isFirst ? arrival.metadata : null;
      this.#givePart(arrival.at, draft.id, partId, part, listOf(line), metadata, isToolPart(part));
    }
    return parts.length > 0 || this.#outbox.isQuiet;
  }

  /** Adds a part that is a piece of a text. Returns false if the part is none. */
  #isPiece(arrival: Arrival, draft: Draft, part: Part | ToolPart, index: number, line: JsonObject | null): boolean {
    const { isGlued = false, isSide, lineId, at, place } = arrival;
    const isKnown = this.#outbox.isQuiet;
    return this.texts.add(draft, isGlued, { part, partId: `${lineId}/${index}`, at, place, line, isKnown, isSide });
  }

  #put(draft: Draft, part: Part | ToolPart): void {
    const place = draft.parts.push(part) - 1;
    const open = isToolPart(part) ? this.#open.get(part.toolCallId) : undefined;
    if (open) open.place = place;
  }

  /**
   * Adds a call; returns null if it is a copy of a known one. A different call with the same id gets an id of its own.
   * @param beside the first call of each id in the same line
   */
  #newCall(told: ToolPart, draft: Draft, is_side: boolean, beside: Map<string, ToolPart>): ToolPart | null {
    const first = beside.get(told.toolCallId);
    if (!first) beside.set(told.toolCallId, told);
    const part =
      (first && !isSameCall(first, told)) || this.#isOther(told)
        ? { ...told, toolCallId: this.#idOfItsOwn(told.toolCallId) }
        : told;
    const { toolCallId: id, toolName: name } = part;
    if (this.#isKnown(id)) return null;
    if (part.state !== 'input-available') {
      this.resolve(id);
      return part;
    }
    const isHeld = !draft.isGiven;
    this.#open.set(id, {
      id,
      name,
      part,
      message_id: draft.id,
      is_side,
      // A message that is known already was closed when it was first read.
      is_closed: this.#outbox.isQuiet,
      draft: isHeld ? draft : null,
      place: -1,
    });
    return part;
  }

  /** Returns whether calls that wait have the id of this one, and it is none of them: some models give each the same id. */
  #isOther(told: ToolPart): boolean {
    const all = this.#allOf(told.toolCallId);
    if (all.length === 0 || this.#isKnown(nthOf(told.toolCallId, IN_ORDER.length))) return false;
    return all.every(({ part }) => part !== undefined && !isSameCall(part, told));
  }

  #givePart(
    at: number,
    message_id: string,
    part_id: string,
    part: Part | ToolPart,
    lines: JsonObject[],
    metadata: JsonObject | null,
    beginsCall = false,
  ): void {
    if (this.#outbox.isQuiet) return;
    this.seq += 1;
    const extra = {
      ...(metadata?.['usage'] ? { usage: metadata['usage'] } : {}),
      ...(lines.length > 0 ? { lines } : {}),
    };
    const body = { kind: 'part', message_id, part_id, seq: this.seq, part: part as Part, ...extra } as const;
    this.#outbox.part(at, body, beginsCall);
  }

  /** Puts a result into its call. The call must be an open one. `line` is kept once for each line. */
  finish(call: Call, result: Result, at: number, line: JsonObject | null): void {
    const open = this.#open.get(call.id);
    const before = call.part ?? open?.part ?? this.#partOf(call);
    this.resolve(call.id);
    const part = withResult(before, result, at);
    const draft = open?.draft;
    if (!draft || draft.isGiven) {
      this.#givePart(at, call.message_id, call.id, part, listOf(line), null);
      return;
    }
    draft.parts[open.place] = part;
    if (line) (draft.metadata['lines'] as JsonValue[]).push(line);
  }

  #partOf(call: Call): ToolPart {
    return {
      type: 'dynamic-tool',
      toolName: call.name,
      toolCallId: call.id,
      state: 'input-available',
      input: null,
    };
  }

  /** Replaces a result that came before its call with a mark: the call has the result now. */
  withdrawResult(message: string, id: string, at: number): void {
    const part: Part = { type: 'data-tool_result', data: { toolCallId: id } };
    const draft = this.#drafts.get(message);
    if (!draft || draft.isGiven) {
      this.#givePart(at, message, id, part, [], null);
      return;
    }
    const { parts } = draft;
    const index = parts.findIndex((each) => isToolPart(each) && each.toolCallId === id && each['is_orphan'] === true);
    if (index >= 0) parts[index] = part;
  }

  /** Marks every open call as one of an ended turn: a later result with its id hardly belongs to it. */
  leaveCalls(): void {
    for (const call of this.#open.values()) call.is_over = true;
  }

  /** Closes every call that has no result, at the end of the turn or of the transcript. */
  closeCalls(at: number): void {
    for (const call of this.#open.values()) {
      if (call.is_closed) continue;
      call.is_closed = true;
      const part = withoutResult(call.part ?? this.#partOf(call));
      if (call.draft && !call.draft.isGiven) call.draft.parts[call.place] = part;
      else this.#givePart(at === UNKNOWN_TIME ? 0 : at, call.message_id, call.id, part, [], null);
      call.draft = null;
    }
    this.#drafts.clear();
  }
}
