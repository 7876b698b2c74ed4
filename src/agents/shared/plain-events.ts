/** Handles the events of a transcript of lines: messages, calls and their results, and the course of the turn. */

import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { isToolPart, orphanPart, type ToolPart } from './parts.ts';
import type { RecordEvent, RecordMessage } from './plain-agent.ts';
import type { PlainCursor, Recent } from './plain-cursor.ts';
import type { Entry, Tools } from './plain-entry.ts';
import { type PromptPlace, promptForCursor } from './prompt.ts';
import type { RecordPlace, TextualPart } from './streamed.ts';
import { callOf, finishAll, finishTurn } from './turn-calls.ts';
import { addTokens, type Tokens } from './usage.ts';

/** The number of messages with ids of their own that a cursor holds. */
const RECENT_LIMIT = 64;

/** The handler of the events of one part of a transcript. */
export class PlainEvents {
  readonly #tools: Tools;
  #group: string | null;
  #prompt: PromptPlace | null;
  /** The earlier part of a text that continues in this part of the transcript. */
  #takenUp: TextualPart | null = null;
  /** The messages of this part. */
  readonly #begun = new Set<string>();

  constructor(tools: Tools, { group, prompt, recent, texts }: PlainCursor) {
    this.#tools = tools;
    this.#group = group;
    this.#prompt = prompt;
    const { conversation } = tools;
    for (const [id, tokens] of recent) {
      conversation.know(id);
      conversation.counted.set(id, tokens);
    }
    if (group !== null) conversation.know(group);
    conversation.texts.expect(texts);
  }

  /** The state of the handler, as a cursor holds it. */
  get place(): Pick<PlainCursor, 'group' | 'prompt' | 'recent' | 'texts'> {
    const { counted, texts } = this.#tools.conversation;
    const recent = [...counted].slice(-RECENT_LIMIT) as Recent[];
    return {
      group: this.#group,
      // The end of a prompt that continues may be the beginning of a secret.
      prompt: promptForCursor(this.#isPromptOpen && this.#prompt ? { ...this.#prompt, text: null } : this.#prompt),
      recent,
      texts: texts.places,
    };
  }

  #ending(at: number) {
    const { turn, live, kept } = this.#tools;
    const prompt = (): string => this.#prompt?.text ?? kept()?.prompt ?? '';
    const settle = (): void => {
      if (!turn.isPast) live.settle(at);
    };
    return { ...this.#tools, prompt, settle };
  }

  /** Gives everything that is held: the part of the transcript is over. */
  finishAll(at: number): void {
    const { conversation, turn } = this.#tools;
    conversation.texts.give();
    if (this.#isPromptOpen) turn.leavesPromptOpen();
    finishAll(this.#ending(at), at);
  }

  get #isPromptOpen(): boolean {
    return this.#prompt !== null && this.#tools.conversation.texts.message === this.#prompt.id;
  }

  /** Handles an event of a record. */
  handle(entry: Entry, event: RecordEvent): void {
    const { turn, live, known, outbox } = this.#tools;
    const { at } = entry;
    switch (event.what) {
      case 'message':
        this.#message(entry, event);
        return;
      case 'result':
        this.#result(entry, event);
        return;
      case 'session':
        if (!outbox.isQuiet && !turn.isPast) known.update(event.about);
        return;
      case 'records':
        this.#give(event.records, event.callId, at);
        return;
      case 'usage':
        for (let call = 1; call < event.calls; call += 1) turn.uses({}, true, false);
        turn.uses(event.tokens, event.calls > 0, false);
        return;
      case 'window':
        turn.fills(event.window, event.cost_usd);
        return;
      case 'closes':
        this.#closes();
        return;
      case 'ends':
        this.#ends(entry);
        return;
      case 'stops':
        this.#closes();
        turn.stops(at, event.refusal);
        return;
      case 'asks':
        turn.asks(at, event.callId, event.text);
        return;
      case 'answers':
        if (event.text === null) turn.stops(at, 'Declined to answer');
        else if (turn.state === 'asked') turn.said(at, event.text);
        return;
      case 'goes':
        live.moveTo(event.to);
        return;
      case 'compacts':
        live.clear(at);
    }
  }

  #give(records: readonly ToolRecord[], callId: string | undefined, at: number): void {
    const of = callId === undefined ? {} : { tool_call_id: callId };
    for (const { body, content } of records) this.#tools.outbox.record(at, { ...body, ...of }, content);
  }

  /** Ends the agent's message. */
  #closes(): void {
    this.#group = null;
    this.#tools.conversation.texts.end();
  }

  /** Ends the turn, by the agent's own word. */
  #ends({ at, place }: Entry): void {
    const { turn } = this.#tools;
    if (turn.speaker !== null) this.#takesUp(turn.speaker, 'text', at, place);
    this.#closes();
    if (turn.state === 'running') turn.works(at);
    turn.ends(at);
  }

  /** The agent's latest words in earlier parts, with the pieces of a text joined. */
  get saidBefore(): string[] {
    const said = this.#tools.kept()?.said ?? [];
    const whole = this.#takenUp?.type === 'text' ? [...said.slice(0, -1), this.#takenUp.text] : said;
    return whole.length > 0 ? [whole.join('')] : [];
  }

  #prompted({ at, before, isRewritten }: Entry, id: string, { prompt = '', cutsIn }: RecordMessage): void {
    const { turn, conversation } = this.#tools;
    if (isRewritten) {
      this.#prompt = { id, text: prompt };
      return;
    }
    if (cutsIn) {
      // An interruption from here on concerns the user's last words.
      this.#prompt = { id, text: prompt };
      turn.cutsIn(at, prompt);
      return;
    }
    conversation.texts.end();
    finishTurn(this.#ending(before), before);
    this.#prompt = { id, text: prompt };
    turn.said(at, prompt);
  }

  /** Adds a piece to the user's prompt. */
  #promptedMore(parts: RecordMessage['parts']): void {
    const text = parts.flatMap((part) => (part.type === 'text' ? String(part['text']) : [])).join('');
    this.#tools.turn.saidMore(text);
    if (this.#prompt && this.#prompt.text !== null) this.#prompt = { ...this.#prompt, text: this.#prompt.text + text };
  }

  #message(entry: Entry, words: RecordMessage): void {
    const { conversation, live, turn, outbox, kept } = this.#tools;
    const { at } = entry;
    const own = entry.messages === 0 ? entry.id : `${entry.id}/${entry.messages}`;
    entry.messages += 1;
    const isAgents = words.role === 'assistant';
    const isSide = words.metadata?.['is_sidechain'] === true;
    // A line that is known keeps its message, and a message of a sub-agent is one by itself.
    const current = words.joins === true && !isSide && !outbox.isQuiet ? this.#group : null;
    const id = words.id ?? current ?? own;
    if (words.prompt !== undefined) this.#prompted(entry, id, words);
    if (!isSide) this.#group = isAgents ? id : null;
    // A sub-agent's message is part of a turn that continues, and begins none.
    if (isAgents && (!isSide || turn.state === 'running')) turn.works(at);
    const isKnown = conversation.knows(id);
    const parts = entry.isRewritten ? words.parts.filter((part) => !this.#isKnownCall(part, id)) : words.parts;
    if (entry.isRewritten && !conversation.counted.has(id)) conversation.counted.set(id, kept()?.usage(id) ?? {});
    const metadata = {
      ...(isKnown ? {} : { parent_id: live.message }),
      ...words.metadata,
      ...this.#uses(id, words.tokens, isSide),
    };
    for (const part of parts)
      if (isToolPart(part) && !words.repeats && !conversation.call(part.toolCallId))
        conversation.renew(part.toolCallId);
    const line = entry.isKept ? null : { ...entry.line, ...words.line };
    const { role } = words;
    const isGlued = words.glued === true;
    if (isGlued) this.#takesUp(id, parts[0]?.type ?? '', at, entry.place);
    if (isGlued && words.prompt === undefined && id === this.#prompt?.id) this.#promptedMore(words.parts);
    const { place } = entry;
    const isNews = conversation.add({ id, role, at, isSide, parts, line, lineId: own, metadata, isGlued, place });
    if (words.id !== undefined && !conversation.counted.has(id)) conversation.counted.set(id, {});
    // In a file that was rewritten, a message that is kept begins at this position now.
    const begins = !isKnown || ((outbox.isQuiet || entry.isRewritten) && !this.#begun.has(id));
    this.#begun.add(id);
    if (begins && !isSide) live.beginMessage(entry.node, id);
    entry.isKept ||= isNews;
    if (isAgents && !isSide) this.#does(at, id, words);
  }

  /** Reads the earlier part of a text that continues here, if there is one. */
  #takesUp(message: string, type: string, at: number, until: RecordPlace): void {
    const { conversation, textBefore, turn } = this.#tools;
    const from = conversation.texts.toTakeUp(message, type);
    if (!from) return;
    const text = textBefore(from, until);
    if (!from.is_side) this.#takenUp = text;
    if (text?.type === 'text' && message === this.#prompt?.id) turn.takesUp(at, text.text);
    conversation.texts.takeUp(from, text);
  }

  /** Returns whether a part is a call that is kept, and expects its result, which may be in the file once more. */
  #isKnownCall(part: Part | ToolPart, message_id: string): boolean {
    const { conversation, kept } = this.#tools;
    if (!isToolPart(part)) return false;
    const { toolCallId: id, toolName: name } = part;
    const isKnown = kept()?.hasCall(id);
    if (isKnown) conversation.expect({ id, name, part, message_id, is_side: false, is_closed: true });
    return isKnown === true;
  }

  /** Counts the tokens of the model call behind a message once, and later only what was added to them. */
  #uses(id: string, tokens: Tokens | undefined, isSide: boolean): JsonObject {
    const { conversation, turn } = this.#tools;
    if (tokens === undefined) return {};
    const before = conversation.counted.get(id);
    conversation.counted.set(id, tokens);
    const isFirst = before === undefined || Object.keys(before).length === 0;
    turn.uses(addTokens(tokens, before ?? {}, -1), isFirst, isSide);
    return { usage: tokens as JsonObject };
  }

  #does(at: number, id: string, { parts, isOver = true, glued }: RecordMessage): void {
    const { turn } = this.#tools;
    for (const part of parts) {
      if (isToolPart(part)) turn.calls();
      else if (part.type === 'text' && typeof part['text'] === 'string')
        turn.speaks(at, id, part['text'], isOver, glued);
      else if (part.type === 'reasoning') turn.thinks(id);
    }
  }

  #result(entry: Entry, { result, records, line: told = {} }: Extract<RecordEvent, { what: 'result' }>): void {
    const { conversation, agent, known, turn } = this.#tools;
    const { at } = entry;
    const call = callOf(this.#tools, result.callId);
    if (call === 'repeated') return;
    if (call === null) {
      const metadata = { is_orphan_result: true };
      this.#message(entry, { what: 'message', role: 'user', parts: [orphanPart(result, at)], metadata, line: told });
      if (records) this.#give(records, result.callId, at);
      return;
    }
    conversation.finish(call, result, at, entry.isKept ? null : { ...entry.line, ...told });
    entry.isKept = true;
    if (entry.isRewritten) return;
    const input = call.part?.input ?? null;
    const around = { part: call.part, memory: entry.memory };
    const did = records ?? agent.derive?.(call.name, input, result, known.cwd, around) ?? [];
    if (!Array.isArray(did)) entry.newMemory = did.memory;
    this.#give(Array.isArray(did) ? did : did.records, call.id, at);
    turn.returns();
  }
}
