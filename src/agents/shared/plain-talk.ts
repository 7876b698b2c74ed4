/** What is said and done in a transcript of lines: messages, calls and their results, how the turn goes. */

import type { ToolRecord } from '../../core/hook-event.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { callOf } from './call-of.ts';
import type { Conversation } from './conversation.ts';
import type { Kept } from './kept.ts';
import type { Known } from './known.ts';
import type { Live } from './live.ts';
import type { Outbox } from './outbox.ts';
import { isToolPart, orphanPart, type ToolPart } from './parts.ts';
import type { PlainAgent, Saying, Words } from './plain-agent.ts';
import type { PlainCursor, Recent } from './plain-cursor.ts';
import { type PromptPlace, promptForCursor } from './prompt.ts';
import type { Turn } from './turn.ts';
import { addTokens, type Tokens } from './usage.ts';

/** What talk works with. */
export interface Tools {
  agent: PlainAgent;
  outbox: Outbox;
  live: Live;
  conversation: Conversation;
  turn: Turn;
  known: Known;
  /** What is kept of earlier parts; null where there is none. */
  kept: () => Kept | null;
}

/** One record on its way into what is kept. */
export interface Entry {
  /** Stands for the record, and for the first message that it makes where that has no id of its own. */
  id: string;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
  /** What is kept of the line itself. */
  line: JsonObject;
  /** Its place in the tree; undefined where it has none. */
  node: string | undefined;
  /** What the agent remembered when it came. */
  memory: JsonObject;
  /** Whether the line stands in a message already. */
  isKept: boolean;
  /** Whether it is another text of a record that was read before: that was acted on then. */
  isAnew: boolean;
  /** How many messages it made. */
  messages: number;
}

/** Messages with ids of their own that a cursor remembers. */
const RECENT_LIMIT = 64;
/** How much of the agent's latest words a cursor remembers: what is asked is asked at their end. */
const WORDS_LIMIT = 2048;

export class PlainTalk {
  readonly #tools: Tools;
  #group: string | null;
  #prompt: PromptPlace | null;
  #words: string;
  /** The message that these words are of. */
  #speaker: string | null;
  /** Whether the agent spoke, and whether it was stopped, since this part or the turn began. */
  #hasSpoken = false;
  #isStopped = false;
  /** The messages of this part. */
  readonly #begun = new Set<string>();

  constructor(tools: Tools, { group, prompt, words, speaker, recent }: PlainCursor) {
    this.#tools = tools;
    this.#group = group;
    this.#prompt = prompt;
    this.#words = words;
    this.#speaker = speaker;
    const { conversation } = tools;
    for (const [id, tokens] of recent) {
      conversation.know(id);
      conversation.counted.set(id, tokens);
    }
    if (group !== null) conversation.know(group);
  }

  /** What a cursor holds of it. */
  get place(): Pick<PlainCursor, 'group' | 'prompt' | 'words' | 'speaker' | 'recent'> {
    const recent = [...this.#tools.conversation.counted].slice(-RECENT_LIMIT) as Recent[];
    const [group, words, speaker] = [this.#group, this.#words, this.#speaker];
    return { group, prompt: promptForCursor(this.#prompt), words, speaker, recent };
  }

  /** Ends the turn, where there is one. */
  finishTurn(at: number): void {
    const { outbox, turn, conversation, live, kept } = this.#tools;
    const { isQuiet } = outbox;
    const { isBegun } = turn;
    // A line that is known may end a turn that is not.
    outbox.isQuiet = isQuiet && !isBegun;
    if (isBegun) conversation.closeCalls(at);
    if (!outbox.isQuiet && !turn.isPast) live.settle(at);
    turn.finish(at, () => this.#prompt?.text ?? kept()?.prompt ?? '');
    if (isBegun) outbox.flush();
    outbox.isQuiet = isQuiet;
  }

  /** Lets everything go: there is no more to read. */
  finishAll(at: number): void {
    this.finishTurn(at);
    this.#tools.conversation.closeCalls(at);
    this.#tools.outbox.flush();
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
        this.#group = null;
        return;
      case 'ends':
        this.#ends(at);
        return;
      case 'stops':
        this.#group = null;
        this.#isStopped = true;
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

  /** The agent says that its turn is over. The words may stand in an earlier part of the transcript. */
  #ends(at: number): void {
    const { turn } = this.#tools;
    this.#group = null;
    if (turn.state === 'running') turn.works(at);
    if (!this.#hasSpoken && !this.#isStopped && this.#words !== '')
      turn.speaks(at, 'last words', this.#wordsBefore(), true);
    else turn.ends(at);
    this.#words = '';
  }

  /** The agent's latest words in earlier parts, whole. */
  #wordsBefore(): string {
    const words = this.#words;
    const said = words.length < WORDS_LIMIT ? [] : (this.#tools.kept()?.said ?? []);
    return ['', '\n\n'].map((between) => said.join(between)).find((text) => text.endsWith(words)) ?? words;
  }

  #prompted({ at, before, isAnew }: Entry, id: string, { prompt = '', cutsIn }: Words): void {
    const { turn } = this.#tools;
    this.#words = '';
    if (isAnew) {
      this.#prompt = { id, text: prompt };
      return;
    }
    if (cutsIn) {
      turn.cutsIn(at, prompt);
      return;
    }
    this.finishTurn(before);
    this.#prompt = { id, text: prompt };
    this.#hasSpoken = false;
    this.#isStopped = false;
    turn.said(at, prompt);
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
    if (entry.isAnew && !conversation.counted.has(id)) conversation.counted.set(id, kept()?.usages.get(id) ?? {});
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
    const isNews = conversation.add({ id, role, at, isSide, parts, line, lineId: own, metadata, isGlued });
    if (words.id !== undefined && !conversation.counted.has(id)) conversation.counted.set(id, {});
    // Where a file was written anew, a message that is kept begins where it now stands.
    const begins = !isKnown || ((outbox.isQuiet || entry.isAnew) && !this.#begun.has(id));
    this.#begun.add(id);
    if (begins && !isSide) live.begins(entry.node, id);
    entry.isKept ||= isNews;
    if (isAgents && !isSide) this.#does(at, id, words);
  }

  /** Whether a part is a call that is kept: its result may be told once more, and belongs to it. */
  #isKnownCall(part: Part | ToolPart, message_id: string): boolean {
    const { conversation, kept } = this.#tools;
    if (!isToolPart(part)) return false;
    const { toolCallId: id, toolName: name } = part;
    const isKnown = kept()?.resolved.has(id) || kept()?.open.has(id);
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
      else if (part.type === 'text' && typeof part['text'] === 'string') {
        const goesOn = this.#speaker === id;
        if (goesOn && !this.#hasSpoken) turn.recalls(id, [this.#wordsBefore()]);
        turn.speaks(at, id, part['text'], isOver, glued);
        const before = goesOn ? `${this.#words}${glued ? '' : '\n\n'}` : '';
        this.#words = `${before}${part['text']}`.slice(-WORDS_LIMIT);
        this.#speaker = id;
        this.#hasSpoken = true;
      } else if (part.type === 'reasoning') turn.thinks(id);
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
    this.#tell(deeds ?? agent.derive?.(call.name, input, result, known.cwd, around) ?? [], call.id, at);
    turn.returns();
  }
}
