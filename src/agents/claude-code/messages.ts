/** Handles user and assistant records: messages, results, records of calls, the course of the turn. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { secretFileIn } from '../../secrets/index.ts';
import type { Call } from '../shared/basic-cursor.ts';
import type { Conversation } from '../shared/conversation.ts';
import { idOf } from '../shared/fields.ts';
import type { Outbox } from '../shared/outbox.ts';
import { isToolPart, orphanPart, type Result, type ToolPart } from '../shared/parts.ts';
import { promptForCursor } from '../shared/prompt.ts';
import type { Turn } from '../shared/turn.ts';
import { callOf, finishAll, finishTurn } from '../shared/turn-calls.ts';
import { addTokens, type Tokens } from '../shared/usage.ts';
import type { Branches } from './branches.ts';
import type { Cursor } from './cursor.ts';
import { derive, isRefused, wordsOfRefusal } from './derive.ts';
import { EarlyResults } from './early.ts';
import { copiedFrom, type Surroundings } from './fields.ts';
import { lineOfMessage, type MessageRecord, metadataOf } from './message-record.ts';
import { blocksOf, partOf, resultOf, structuredIn } from './parts.ts';
import type { Queue } from './queue.ts';
import type { RewrittenMessages } from './rewritten-messages.ts';
import type { Session } from './session.ts';
import { tokensOf } from './usage.ts';
import {
  answerText,
  INTERRUPTED,
  isQuestion,
  questionText,
  textInFile,
  textOfUser,
  type UserText,
} from './user-words.ts';

/** The model of messages that Claude Code wrote itself. */
const SYNTHETIC = '<synthetic>';

/** Returns whether a block contains neither words nor a call. */
const isThought = (block: JsonValue): boolean => !['text', 'tool_use'].includes(String(objectOf(block)?.['type']));

/** Returns whether the structured result of a call may be kept apart from it: it names no file, and the call must not read secrets. */
const tellsOfNoSecretFile = ({ part }: Call): boolean => part !== undefined && secretFileIn(part.input) === undefined;

/** The handler of user and assistant records. */
export class Messages {
  readonly #outbox: Outbox;
  readonly #branches: Branches;
  readonly #conversation: Conversation;
  readonly #turn: Turn;
  readonly #session: Session;
  readonly #queue: Queue;
  readonly #around: Surroundings;
  readonly #early: EarlyResults;
  readonly #rewritten: RewrittenMessages | null;
  #prompt: Cursor['prompt'];

  constructor(
    parts: {
      outbox: Outbox;
      branches: Branches;
      conversation: Conversation;
      turn: Turn;
      session: Session;
      queue: Queue;
      rewritten: RewrittenMessages | null;
    },
    around: Surroundings,
    { prompt, early }: Pick<Cursor, 'prompt' | 'early'>,
  ) {
    this.#outbox = parts.outbox;
    this.#branches = parts.branches;
    this.#conversation = parts.conversation;
    this.#turn = parts.turn;
    this.#session = parts.session;
    this.#queue = parts.queue;
    this.#rewritten = parts.rewritten;
    this.#around = around;
    this.#prompt = prompt;
    this.#early = new EarlyResults(early, () => this.#branches.kept());
  }

  /** The ids of the calls whose results came before them, as a cursor holds them. */
  get early(): Cursor['early'] {
    return this.#early.ids;
  }

  /** The prompt of the turn as a cursor holds it. */
  get prompt(): Cursor['prompt'] {
    return promptForCursor(this.#prompt);
  }

  #promptText(): string {
    if (!this.#prompt) return '';
    if (this.#prompt.text !== null) return this.#prompt.text;
    const parts = this.#branches.kept()?.prompt ?? [];
    const said = textOfUser({}, parts);
    return said.kind === 'prompt' || said.kind === 'interrupt' ? said.text : '';
  }

  /** Ends the turn, if there is one. */
  finishTurn(at: number): void {
    finishTurn(this.#tools, at);
  }

  get #tools() {
    return {
      conversation: this.#conversation,
      outbox: this.#outbox,
      turn: this.#turn,
      prompt: () => this.#promptText(),
      kept: () => this.#branches.kept(),
    };
  }

  /** Gives everything that is held: the part of the transcript is over. */
  finishAll(at: number): void {
    finishAll(this.#tools, at);
  }

  /** Handles a record. Returns false if it only repeats what is kept already. */
  take(spoken: MessageRecord): boolean {
    return spoken.record['type'] === 'assistant' ? this.#assistant(spoken) : this.#user(spoken);
  }

  /** Adds a line with its parts to a message. */
  #add(spoken: MessageRecord, id: string, parts: (Part | ToolPart)[], extra: JsonObject = {}): boolean {
    const role = spoken.message['role'];
    const fallback = spoken.record['type'] === 'assistant' ? 'assistant' : 'user';
    this.#branches.add(spoken.record, id, spoken.at);
    const parent = this.#conversation.knows(id) ? {} : { parent_id: this.#branches.parentOf(spoken.record, id) };
    const metadata = { ...parent, ...metadataOf(spoken, this.#around), ...extra };
    if (!this.#conversation.knows(id)) this.#branches.begins(id);
    const isNews = this.#conversation.add({
      id,
      role: role === 'user' || role === 'assistant' || role === 'system' ? role : fallback,
      at: spoken.at,
      isSide: spoken.isSide,
      parts,
      line: lineOfMessage(spoken, this.#around),
      lineId: spoken.lineId,
      metadata,
    });
    if (!spoken.isSide) this.#branches.moveTo(spoken.record, id, spoken.at);
    return isNews;
  }

  #user(spoken: MessageRecord): boolean {
    const { record, message, at, isSide } = spoken;
    const blocks = blocksOf(message['content']);
    const structured = structuredIn(record, blocks);
    const results = blocks.map((block) => resultOf(block, structured)).filter((result) => result !== null);
    const others = blocks.filter((block) => resultOf(block, undefined) === null);
    const said: UserText = isSide ? { kind: 'other' } : textInFile(record, others);
    const id = idOf(record['uuid']) ?? spoken.lineId;
    if (said.kind === 'prompt' && results.length === 0 && this.#queue.prompted(said.text, at)) {
      this.finishTurn(spoken.before);
      this.#begin(at, id, said.text);
    }
    const calls = results.map(({ callId }) => callOf(this.#tools, callId));
    const orphans = results.filter((_, index) => calls[index] === null);
    const isOwn = others.length > 0 || orphans.length > 0 || results.length === 0;
    const known = results.flatMap((result, index): [Call, Result][] => {
      const call = calls[index];
      return call && call !== 'repeated' ? [[call, result]] : [];
    });
    if (!isOwn && known.length === 0) return false;
    if (!isOwn) this.#branches.add(record, known[0]?.[0].message_id ?? null, at);
    const isPlaced =
      structured !== undefined || orphans.length > 0 || !known.every(([call]) => tellsOfNoSecretFile(call));
    const unplaced = isPlaced ? undefined : record['toolUseResult'];
    const line = isOwn || known.length === 0 ? null : lineOfMessage(spoken, this.#around, unplaced);
    for (const [index, [call, result]] of known.entries())
      this.#finish(call, result, spoken, index === 0 ? line : null);
    for (const result of orphans) this.#early.note({ result, spoken, message: id });
    if (isOwn) {
      const parts = [...orphans.map((result) => orphanPart(result, at)), ...others.map(partOf)];
      const isPrograms = !isSide && others.length > 0 && (said.kind === 'other' || said.text === '');
      this.#add(spoken, id, parts, {
        ...(isPrograms && { is_meta: true }),
        ...(orphans.length > 0 && { is_orphan_result: true }),
      });
    } else if (!isSide) this.#branches.moveTo(record, known[0]?.[0].message_id ?? null, at);
    if (said.kind === 'interrupt') this.#interrupted(at, id, said.text);
    return true;
  }

  /** Gives calls the results that came before them. */
  #catchUp(calls: readonly string[], at: number): void {
    for (const id of calls) {
      const call = this.#conversation.call(id);
      const early = this.#early.take(id);
      if (!call || !early) continue;
      this.#conversation.withdrawResult(early.message, id, at);
      this.#finish(call, early.result, early.spoken, null);
    }
  }

  #begin(at: number, id: string, text: string): void {
    this.#prompt = { id, text };
    this.#turn.said(at, text);
  }

  #interrupted(at: number, id: string, text: string): void {
    this.#turn.stops(at);
    if (text === '') return;
    this.finishTurn(at);
    this.#begin(at, id, text);
  }

  #finish(call: Call, result: Result, spoken: MessageRecord, line: JsonObject | null): void {
    const { at, record, isSide } = spoken;
    this.#conversation.finish(call, result, at, line);
    const cwd = textOf(record['cwd']) ?? textOf(spoken.carrier?.['cwd']) ?? this.#session.cwd;
    const side = isSide ? { is_sidechain: true } : {};
    for (const { body, content } of derive(call.name, call.part?.input ?? null, result, cwd)) {
      this.#outbox.record(at, { ...body, tool_call_id: call.id, ...side }, content);
    }
    if (isSide || call.is_side) return;
    if (this.#turn.asking === call.id) this.#answered(call, result, at);
    else if (isRefused(result)) this.#refused(result, at);
    if (result.text.startsWith(INTERRUPTED)) this.#turn.stops(at);
    else this.#turn.returns();
  }

  #answered(call: Call, result: Result, at: number): void {
    const words = wordsOfRefusal(result);
    if (!result.failed) this.#turn.said(at, answerText(call.name, result));
    else if (words !== null) this.#turn.said(at, words);
    else if (isRefused(result))
      this.#turn.stops(at, call.name === 'ExitPlanMode' ? 'Plan rejected' : 'Declined to answer');
    else this.#turn.works(at);
    const next = this.#conversation.openCalls.find((each) => isQuestion(each.name) && !each.is_side && !each.is_closed);
    if (next) this.#turn.asks(at, next.id, questionText(next.name, next.part?.input ?? null));
  }

  /** Handles a refused tool: the agent continues with the user's words, and stops without them. */
  #refused(result: Result, at: number): void {
    const words = wordsOfRefusal(result);
    if (words !== null) this.#turn.cutsIn(at, words);
    this.#turn.stops(at);
  }

  #assistant(spoken: MessageRecord): boolean {
    const { record, message, at, isSide } = spoken;
    const id = idOf(message['id']) ?? idOf(record['uuid']) ?? spoken.lineId;
    const isSynthetic = message['model'] === SYNTHETIC;
    const speaks = !isSide && !isSynthetic;
    const model = textOf(message['model']);
    const blocks = blocksOf(message['content']);
    if (speaks && !(this.#turn.hasAnswered(id) && blocks.every(isThought))) this.#turn.works(at);
    if (speaks) this.#queue.goesOn();
    if (speaks && model !== undefined && !this.#turn.isPast) this.#session.hearModel(model);
    const told = isSynthetic || copiedFrom(record) !== undefined ? undefined : tokensOf(message);
    const tokens = this.#rewritten ? this.#rewritten.take(id, told) : told;
    const isError = record['isApiErrorMessage'] === true;
    const extra = { ...(tokens && { usage: { ...tokens } }), ...(isError && { is_api_error: true }) };
    const parts = blocks.map(partOf);
    const calls = parts.filter(isToolPart).map((part) => part.toolCallId);
    const late = calls.filter((call) => this.#early.has(call));
    // In a new message it is another call, even if a call with its id had a result.
    const again = this.#conversation.knows(id) ? late : calls.filter((call) => !this.#conversation.call(call));
    for (const call of again) this.#conversation.renew(call);
    const isNews = this.#add(spoken, id, parts, extra);
    if (tokens) this.#count(id, tokens, isSide);
    if (!isSide && isError) this.#turn.stops(at);
    else if (speaks) for (const block of blocks) this.#does(id, block, spoken);
    this.#catchUp(late, at);
    return isNews;
  }

  #count(id: string, tokens: Tokens, isSide: boolean): void {
    const counted = this.#conversation.counted;
    const before = counted.get(id);
    counted.delete(id);
    counted.set(id, tokens);
    this.#turn.uses(before ? addTokens(tokens, before, -1) : tokens, before === undefined, isSide);
  }

  #does(id: string, value: JsonValue, spoken: MessageRecord): void {
    const block = objectOf(value);
    const { at, record, message } = spoken;
    const text = textOf(block?.['text']);
    const stop = message['stop_reason'];
    if (block?.['type'] === 'text' && text !== undefined) {
      const isOver = stop !== 'tool_use' && stop !== 'pause_turn' && record['isAbortedMidStream'] !== true;
      this.#turn.speaks(at, id, text, isOver);
    } else if (block?.['type'] === 'tool_use') this.#calls(block, at);
    else this.#turn.thinks(id);
  }

  #calls(block: JsonObject, at: number): void {
    this.#turn.calls();
    const id = idOf(block['id']);
    const name = textOf(block['name']) ?? '';
    if (id === undefined || !isQuestion(name) || !this.#conversation.call(id)) return;
    this.#turn.asks(at, id, questionText(name, block['input'] ?? null));
  }
}
