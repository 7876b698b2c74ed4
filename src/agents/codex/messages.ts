/** Handles the items of a rollout: messages, calls and their results, compactions, the course of the turn. */

import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { Conversation } from '../shared/conversation.ts';
import { idOf } from '../shared/fields.ts';
import { readValue } from '../shared/lines.ts';
import type { Draft, Outbox } from '../shared/outbox.ts';
import { isToolPart, orphanPart, type Result, type ToolPart } from '../shared/parts.ts';
import { promptForCursor } from '../shared/prompt.ts';
import { questionText } from '../shared/questions.ts';
import type { Turn } from '../shared/turn.ts';
import { callOf, finishAll, finishTurn } from '../shared/turn-calls.ts';
import type { CallRecords } from './call-records.ts';
import type { Cursor, Task } from './cursor.ts';
import { contentParts, type Made, madeBy, RESULT_KEYS, resultOf } from './items.ts';
import { type Entry, lineOf } from './record.ts';
import type { Session } from './session.ts';
import { type StoredRollout, wordsOf } from './stored-rollout.ts';
import { answerText, isQuestion, promptOf } from './user-words.ts';
import type { View } from './view.ts';

/** The collaborators that handle items. */
export interface Tools {
  outbox: Outbox;
  view: View;
  conversation: Conversation;
  turn: Turn;
  session: Session;
  callRecords: CallRecords;
  /** Returns the kept records of earlier parts; null if there are none. */
  kept: () => StoredRollout | null;
}

/** Parts that an item adds to a message. */
interface Brought {
  id: string;
  role: Draft['role'];
  parts: (Part | ToolPart)[];
  line: JsonObject;
  metadata?: JsonObject;
  isPrompt?: boolean;
}

/** The handler of the items of a rollout. */
export class Messages {
  readonly #tools: Tools;
  /** The message of the agent that may still grow: the output of one call of the model. */
  #group: string | null;
  #task: Task;
  #prompt: Cursor['prompt'];
  /** The latest message that the agent did not make, by the hash of its words. */
  readonly #words = new Map<number, string>();

  constructor(tools: Tools, { group, task, prompt }: Pick<Cursor, 'group' | 'task' | 'prompt'>) {
    this.#tools = tools;
    this.#group = group;
    this.#task = task;
    this.#prompt = prompt;
  }

  /** The state of the handler, as a cursor holds it. */
  get place(): Pick<Cursor, 'group' | 'task' | 'prompt'> {
    return { group: this.#group, task: this.#task, prompt: promptForCursor(this.#prompt) };
  }

  /** Ends the turn, if there is one. */
  finishTurn(at: number): void {
    finishTurn(this.#ending, at);
  }

  /** Gives everything that is held: the part of the rollout is over. */
  finishAll(at: number): void {
    finishAll(this.#ending, at);
  }

  get #ending() {
    return { ...this.#tools, prompt: () => this.#prompt?.text ?? this.#tools.kept()?.prompt ?? '' };
  }

  /** Ends the agent's message. */
  endGroup(): void {
    this.#group = null;
  }

  /** Begins a task. */
  begins(at: number, before: number): void {
    this.#tools.callRecords.endTurn(at);
    this.finishTurn(before);
    this.#group = null;
    this.#task = 'begun';
  }

  /** Ends a task, with the agent's last words. */
  completes(at: number, words: string | undefined): void {
    const { turn } = this.#tools;
    this.#leaveTask(at);
    if (turn.state === 'running') turn.works(at);
    if (words) turn.speaks(at, 'last words', words, true);
    else turn.ends(at);
  }

  /** Aborts a task: the user stopped the agent, or it could not continue. */
  breaksOff(at: number): void {
    this.#leaveTask(at);
    this.#tools.turn.stops(at);
  }

  #leaveTask(at: number): void {
    this.#tools.callRecords.endTurn(at);
    this.#group = null;
    this.#task = 'none';
  }

  /** Returns the id of the message that a line begins, or, for a known line, of the message that it was added to. */
  #idOf(entry: Entry): string {
    const known = this.#tools.outbox.isQuiet ? this.#tools.kept()?.messageOf(entry.key) : undefined;
    return known ?? markOf(entry) ?? entry.id;
  }

  /** Handles a response item. Returns false if it has no meaning, or only repeats what is kept already. */
  item(entry: Entry): boolean {
    const { payload } = entry;
    const made = madeBy(payload, entry.id);
    if (made) return this.#made(entry, made);
    const result = resultOf(payload);
    if (result) return this.#returned(entry, result);
    return payload['type'] === 'message' ? this.#heard(entry) : false;
  }

  #add(entry: Entry, { id, role, parts, line, metadata, isPrompt }: Brought): boolean {
    const { conversation, view, session } = this.#tools;
    const parent = conversation.knows(id) ? {} : { parent_id: view.leaf };
    if (!conversation.knows(id)) view.begins(id, isPrompt === true);
    const agent = session.agentId === undefined ? {} : { agent_id: session.agentId };
    const all = { ...parent, ...agent, ...metadata };
    const { at, key: lineId } = entry;
    return conversation.add({ id, role, at, isSide: false, parts, line, lineId, metadata: all });
  }

  #heard(entry: Entry): boolean {
    const { payload } = entry;
    this.#group = null;
    const role = payload['role'] === 'user' ? 'user' : 'system';
    const words = role === 'user' ? promptOf(payload) : null;
    const id = this.#idOf(entry);
    if (words !== null) this.#prompted(entry, id, words);
    const parts = contentParts(payload['content']);
    this.#words.set(wordsOf(role, parts), id);
    const metadata = role === 'user' && words === null ? { is_meta: true } : {};
    const line = lineOf(entry, 'role', 'content');
    return this.#add(entry, { id, role, parts, line, metadata, isPrompt: words !== null });
  }

  #prompted({ at, before }: Entry, id: string, words: string): void {
    const { turn, callRecords } = this.#tools;
    if (this.#task === 'prompted') {
      turn.cutsIn(at, words);
      return;
    }
    if (this.#task === 'none') {
      callRecords.endTurn(at);
      this.finishTurn(before);
    } else this.#task = 'prompted';
    this.#prompt = { id, text: words };
    turn.said(at, words);
  }

  #made(entry: Entry, { parts, contained }: Made): boolean {
    const { turn, conversation, session, outbox } = this.#tools;
    const id = outbox.isQuiet ? this.#idOf(entry) : (markOf(entry) ?? this.#group ?? entry.id);
    const isThought = parts.every((part) => part.type !== 'text' && !isToolPart(part));
    if (!(isThought && turn.hasAnswered(id))) turn.works(entry.at);
    this.#group = id;
    for (const part of parts)
      if (isToolPart(part) && !conversation.call(part.toolCallId)) conversation.renew(part.toolCallId);
    const metadata = session.model === undefined ? {} : { model: session.model };
    const isNews = this.#add(entry, { id, role: 'assistant', parts, line: lineOf(entry, ...contained), metadata });
    for (const part of parts) this.#does(entry, id, part);
    return isNews;
  }

  #does({ at, payload }: Entry, id: string, part: Part | ToolPart): void {
    const { turn } = this.#tools;
    if (isToolPart(part)) {
      turn.calls();
      if (isQuestion(part.toolName)) turn.asks(at, part.toolCallId, questionText(part.input));
    } else if (part.type === 'text') {
      const isOver = this.#task === 'none' && payload['phase'] !== 'commentary';
      turn.speaks(at, id, part.text as string, isOver);
    } else turn.thinks(id);
  }

  #returned(entry: Entry, result: Result): boolean {
    const { conversation, callRecords, session, turn } = this.#tools;
    const { at } = entry;
    this.#group = null;
    const call = callOf(this.#tools, result.callId);
    if (call === 'repeated') return false;
    const line = lineOf(entry, ...RESULT_KEYS);
    if (call === null) {
      const parts = [orphanPart(result, at)];
      const metadata = { is_orphan_result: true };
      return this.#add(entry, { id: this.#idOf(entry), role: 'user', parts, line, metadata });
    }
    conversation.finish(call, result, at, line);
    callRecords.returns(call, result, at, session.cwd);
    if (turn.asking === call.id) this.#answered(result, at);
    else turn.returns();
    return true;
  }

  #answered(result: Result, at: number): void {
    const { turn } = this.#tools;
    const answer = answerText(readValue(result.text));
    if (answer === null) turn.stops(at, 'Declined to answer');
    else turn.said(at, answer);
  }

  /** Handles a compaction: the messages that stay in view are shown, and the replacement of the others is a message. */
  compacts(entry: Entry): boolean {
    const { view, kept } = this.#tools;
    const { payload } = entry;
    this.#group = null;
    const history = Array.isArray(payload['replacement_history']) ? payload['replacement_history'] : [];
    const found = history.map((item) => {
      const words = saidIn(item);
      const id = words === null ? undefined : (this.#words.get(words) ?? kept()?.words.get(words));
      return { item, id: id ?? null };
    });
    const replacement = found.map(({ id }) => id);
    const shown = new Map<string, boolean>();
    for (const { item, id } of found) if (id !== null) shown.set(id, isPrompt(item));
    const parts = found.flatMap(({ item, id }) => (id === null ? replacementParts(item) : []));
    const summary = textOf(payload['message']) ?? '';
    const isTold = parts.some((part) => String((part as { text?: unknown }).text ?? '').includes(summary));
    if (summary !== '' && !isTold) parts.unshift({ type: 'text', text: summary });
    view.compact(shown, entry.at);
    const line = { ...lineOf(entry, 'message', 'replacement_history'), replacement };
    const metadata = { is_compact_summary: true };
    return this.#add(entry, { id: this.#idOf(entry), role: 'user', parts, line, metadata });
  }
}

/** Returns the id of the message that an item was written from by ctx, which Codex passes over; undefined if Codex wrote the item. */
const markOf = ({ record }: Entry): string | undefined => idOf(record['ctx_message']);

/** Returns the hash of a message of user or program in a history; null for another item. */
function saidIn(item: JsonValue): number | null {
  const fields = objectOf(item);
  if (fields?.['type'] !== 'message' || fields['role'] === 'assistant') return null;
  return wordsOf(fields['role'] === 'user' ? 'user' : 'system', contentParts(fields['content']));
}

/** Returns whether a message of a history is the user's own. */
function isPrompt(item: JsonValue): boolean {
  const fields = objectOf(item);
  return fields?.['role'] === 'user' && promptOf(fields) !== null;
}

function replacementParts(item: JsonValue): Part[] {
  const fields = objectOf(item);
  if (fields?.['type'] === 'message') return contentParts(fields['content']);
  return [{ type: `data-${textOf(fields?.['type']) || 'unknown'}`, data: item }];
}
