/** What is said and done in a transcript of lines: messages, calls and their results, how the turn goes. */

import type { ToolRecord } from '../../core/hook-event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callOf } from './call-of.ts';
import { isToolPart, orphanPart, type ToolPart } from './parts.ts';
import type { Saying, Words } from './plain-agent.ts';
import type { PlainCursor, Recent } from './plain-cursor.ts';
import type { Entry, Tools } from './plain-entry.ts';
import { type PromptPlace, promptForCursor } from './prompt.ts';
import type { RecordPlace, TextualPart } from './streamed.ts';
import { addTokens, type Tokens } from './usage.ts';

/** Messages with ids of their own that a cursor remembers. */
const RECENT_LIMIT = 64;

export class PlainTalk {
  readonly #tools: Tools;
  #group: string | null;
  #prompt: PromptPlace | null;
  /** What there was of a text of an earlier part before it went on in this one. */
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

  /** What a cursor holds of it. */
  get place(): Pick<PlainCursor, 'group' | 'prompt' | 'recent' | 'texts'> {
    const { counted, texts } = this.#tools.conversation;
    const recent = [...counted].slice(-RECENT_LIMIT) as Recent[];
    return {
      group: this.#group,
      // The end of one that goes on may be the beginning of a secret.
      prompt: promptForCursor(this.#isPromptOpen && this.#prompt ? { ...this.#prompt, text: null } : this.#prompt),
      recent,
      texts: texts.places,
    };
  }

  /** Ends the turn, where there is one. */
  #finishTurn(at: number, isOver = true): void {
    const { outbox, turn, conversation, live, kept } = this.#tools;
    const { isQuiet } = outbox;
    const { isBegun } = turn;
    // A line that is known may end a turn that is not.
    outbox.isQuiet = isQuiet && !isBegun;
    if (isBegun) conversation.closeCalls(at);
    if (isOver) conversation.leaveCalls();
    if (!outbox.isQuiet && !turn.isPast) live.settle(at);
    turn.finish(at, () => this.#prompt?.text ?? kept()?.prompt ?? '');
    if (isBegun) outbox.flush();
    outbox.isQuiet = isQuiet;
  }

  /** Lets everything go: there is no more to read. */
  finishAll(at: number): void {
    const { conversation, turn } = this.#tools;
    conversation.texts.give();
    if (this.#isPromptOpen) turn.leavesPromptOpen();
    this.#finishTurn(at, false);
    conversation.closeCalls(at);
    this.#tools.outbox.flush();
  }

  get #isPromptOpen(): boolean {
    return this.#prompt !== null && this.#tools.conversation.texts.message === this.#prompt.id;
  }

  /** Takes what a record says. */
  hear(entry: Entry, saying: Saying): void {
    const { turn, live, known, outbox } = this.#tools;
    const { at } = entry;
    switch (saying.what) {
      case 'message':
        this.#message(entry, saying);
        return;
      case 'result':
        this.#result(entry, saying);
        return;
      case 'session':
        if (!outbox.isQuiet && !turn.isPast) known.hear(saying.about);
        return;
      case 'deeds':
        this.#tell(saying.deeds, saying.callId, at);
        return;
      case 'usage':
        for (let call = 1; call < saying.calls; call += 1) turn.uses({}, true, false);
        turn.uses(saying.tokens, saying.calls > 0, false);
        return;
      case 'closes':
        this.#closes();
        return;
      case 'ends':
        this.#ends(entry);
        return;
      case 'stops':
        this.#closes();
        turn.stops(at, saying.refusal);
        return;
      case 'asks':
        turn.asks(at, saying.callId, saying.text);
        return;
      case 'answers':
        if (saying.text === null) turn.stops(at, 'Declined to answer');
        else if (turn.state === 'asked') turn.said(at, saying.text);
        return;
      case 'goes':
        live.go(saying.to);
        return;
      case 'compacts':
        live.clear(at);
    }
  }

  #tell(deeds: readonly ToolRecord[], callId: string | undefined, at: number): void {
    const of = callId === undefined ? {} : { tool_call_id: callId };
    for (const { body, content } of deeds) this.#tools.outbox.record(at, { ...body, ...of }, content);
  }

  /** What the agent says next is another message. */
  #closes(): void {
    this.#group = null;
    this.#tools.conversation.texts.end();
  }

  /** The agent says that its turn is over. */
  #ends({ at, place }: Entry): void {
    const { turn } = this.#tools;
    if (turn.speaker !== null) this.#takesUp(turn.speaker, 'text', at, place);
    this.#closes();
    if (turn.state === 'running') turn.works(at);
    turn.ends(at);
  }

  /** The agent's latest words in earlier parts. What is told in pieces goes on where it stopped. */
  get saidBefore(): string[] {
    const said = this.#tools.kept()?.said ?? [];
    const whole = this.#takenUp?.type === 'text' ? [...said.slice(0, -1), this.#takenUp.text] : said;
    return whole.length > 0 ? [whole.join('')] : [];
  }

  #prompted({ at, before, isAnew }: Entry, id: string, { prompt = '', cutsIn }: Words): void {
    const { turn, conversation } = this.#tools;
    if (isAnew) {
      this.#prompt = { id, text: prompt };
      return;
    }
    if (cutsIn) {
      turn.cutsIn(at, prompt);
      return;
    }
    conversation.texts.end();
    this.#finishTurn(before);
    this.#prompt = { id, text: prompt };
    turn.said(at, prompt);
  }

  /** What the user said goes on. */
  #promptedMore(parts: Words['parts']): void {
    const text = parts.flatMap((part) => (part.type === 'text' ? String(part['text']) : [])).join('');
    this.#tools.turn.saidMore(text);
    if (this.#prompt && this.#prompt.text !== null) this.#prompt = { ...this.#prompt, text: this.#prompt.text + text };
  }

  #message(entry: Entry, words: Words): void {
    const { conversation, live, turn, outbox, kept } = this.#tools;
    const { at } = entry;
    const own = entry.messages === 0 ? entry.id : `${entry.id}/${entry.messages}`;
    entry.messages += 1;
    const isAgents = words.role === 'assistant';
    const isSide = words.metadata?.['is_sidechain'] === true;
    // A line that is known goes where it went, and what is said aside stands by itself.
    const current = words.joins === true && !isSide && !outbox.isQuiet ? this.#group : null;
    const id = words.id ?? current ?? own;
    if (words.prompt !== undefined) this.#prompted(entry, id, words);
    if (!isSide) this.#group = isAgents ? id : null;
    // What is said aside is part of a turn that goes on, and begins none.
    if (isAgents && (!isSide || turn.state === 'running')) turn.works(at);
    const isKnown = conversation.knows(id);
    const parts = entry.isAnew ? words.parts.filter((part) => !this.#isKnownCall(part, id)) : words.parts;
    if (entry.isAnew && !conversation.counted.has(id)) conversation.counted.set(id, kept()?.usage(id) ?? {});
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
    // Where a file was written anew, a message that is kept begins where it now stands.
    const begins = !isKnown || ((outbox.isQuiet || entry.isAnew) && !this.#begun.has(id));
    this.#begun.add(id);
    if (begins && !isSide) live.begins(entry.node, id);
    entry.isKept ||= isNews;
    if (isAgents && !isSide) this.#does(at, id, words);
  }

  /** Takes up the text of an earlier part that goes on here, where one does. */
  #takesUp(message: string, type: string, at: number, until: RecordPlace): void {
    const { conversation, textBefore, turn } = this.#tools;
    const from = conversation.texts.toTakeUp(message, type);
    if (!from) return;
    const text = textBefore(from, until);
    if (!from.is_side) this.#takenUp = text;
    if (text?.type === 'text' && message === this.#prompt?.id) turn.takesUp(at, text.text);
    conversation.texts.takeUp(from, text);
  }

  /** Whether a part is a call that is kept: its result may be told once more, and belongs to it. */
  #isKnownCall(part: Part | ToolPart, message_id: string): boolean {
    const { conversation, kept } = this.#tools;
    if (!isToolPart(part)) return false;
    const { toolCallId: id, toolName: name } = part;
    const isKnown = kept()?.hasCall(id);
    if (isKnown) conversation.expect({ id, name, part, message_id, is_side: false, is_closed: true });
    return isKnown === true;
  }

  /** Counts what the call of the model behind a message used: once, and what was added to it later. */
  #uses(id: string, tokens: Tokens | undefined, isSide: boolean): JsonObject {
    const { conversation, turn } = this.#tools;
    if (tokens === undefined) return {};
    const before = conversation.counted.get(id);
    conversation.counted.set(id, tokens);
    const isFirst = before === undefined || Object.keys(before).length === 0;
    turn.uses(addTokens(tokens, before ?? {}, -1), isFirst, isSide);
    return { usage: tokens as JsonObject };
  }

  #does(at: number, id: string, { parts, isOver = true, glued }: Words): void {
    const { turn } = this.#tools;
    for (const part of parts) {
      if (isToolPart(part)) turn.calls();
      else if (part.type === 'text' && typeof part['text'] === 'string')
        turn.speaks(at, id, part['text'], isOver, glued);
      else if (part.type === 'reasoning') turn.thinks(id);
    }
  }

  #result(entry: Entry, { result, deeds, line: told = {} }: Extract<Saying, { what: 'result' }>): void {
    const { conversation, agent, known, turn } = this.#tools;
    const { at } = entry;
    const call = callOf(this.#tools, result.callId);
    if (call === 'repeated') return;
    if (call === null) {
      const metadata = { is_orphan_result: true };
      this.#message(entry, { what: 'message', role: 'user', parts: [orphanPart(result, at)], metadata, line: told });
      if (deeds) this.#tell(deeds, result.callId, at);
      return;
    }
    conversation.finish(call, result, at, entry.isKept ? null : { ...entry.line, ...told });
    entry.isKept = true;
    if (entry.isAnew) return;
    const input = call.part?.input ?? null;
    const around = { part: call.part, memory: entry.memory };
    const did = deeds ?? agent.derive?.(call.name, input, result, known.cwd, around) ?? [];
    if (!Array.isArray(did)) entry.learned = did.memory;
    this.#tell(Array.isArray(did) ? did : did.deeds, call.id, at);
    turn.returns();
  }
}
