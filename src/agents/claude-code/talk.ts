/** What user and assistant records say and do: messages, results, what was read, written and run, how the turn goes. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { secretFileIn } from '../../secrets/named.ts';
import type { Call } from '../shared/calls.ts';
import type { Conversation } from '../shared/conversation.ts';
import { idOf } from '../shared/fields.ts';
import type { Outbox } from '../shared/outbox.ts';
import { isToolPart, orphanPart, type Result, type ToolPart } from '../shared/parts.ts';
import type { Turn } from '../shared/turn.ts';
import { addTokens, type Tokens } from '../shared/usage.ts';
import type { Session } from './about.ts';
import type { Branches } from './branches.ts';
import { type Cursor, PROMPT_LIMIT } from './cursor.ts';
import { derive, isRefused, wordsOfRefusal } from './derive.ts';
import { EarlyResults } from './early.ts';
import { copiedFrom, isTrue, type Surroundings } from './fields.ts';
import { blocksOf, partOf, resultOf, toldOf } from './parts.ts';
import type { Queue } from './queue.ts';
import type { Recalled } from './recalled.ts';
import { lineOfSpoken, metadataOf, type Spoken } from './spoken.ts';
import { tokensOf } from './usage.ts';
import { answerText, INTERRUPTED, isQuestion, questionText, type Said, whatIsHeard, whatIsSaid } from './user-words.ts';

/** The model of messages that Claude Code wrote itself. */
const SYNTHETIC = '<synthetic>';

/** Whether a block neither says nor does anything. */
const isThought = (block: JsonValue): boolean => !['text', 'tool_use'].includes(String(objectOf(block)?.['type']));

/** Whether what is told of a call's result apart from it may be kept: nothing there says of which file it is. */
const tellsOfNoSecretFile = ({ part }: Call): boolean => part !== undefined && secretFileIn(part.input) === undefined;

export class Talk {
  readonly #outbox: Outbox;
  readonly #branches: Branches;
  readonly #conversation: Conversation;
  readonly #turn: Turn;
  readonly #session: Session;
  readonly #queue: Queue;
  readonly #around: Surroundings;
  readonly #early: EarlyResults;
  readonly #recalled: Recalled | null;
  #prompt: Cursor['prompt'];

  constructor(
    parts: {
      outbox: Outbox;
      branches: Branches;
      conversation: Conversation;
      turn: Turn;
      session: Session;
      queue: Queue;
      recalled: Recalled | null;
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
    this.#recalled = parts.recalled;
    this.#around = around;
    this.#prompt = prompt;
    this.#early = new EarlyResults(early, () => this.#branches.kept());
  }

  /** The calls of results that stand before them, as a cursor holds them. */
  get early(): Cursor['early'] {
    return this.#early.ids;
  }

  /** The prompt of the turn as a cursor holds it. */
  get prompt(): Cursor['prompt'] {
    const { id, text } = this.#prompt ?? { id: '', text: null };
    if (!this.#prompt || text === null || text.length <= PROMPT_LIMIT) return this.#prompt;
    return { id, text: null };
  }

  #promptText(): string {
    if (!this.#prompt) return '';
    if (this.#prompt.text !== null) return this.#prompt.text;
    const parts = this.#branches.kept()?.prompt ?? [];
    const said = whatIsSaid({}, parts);
    return said.kind === 'prompt' || said.kind === 'interrupt' ? said.text : '';
  }

  /** Ends the turn, where there is one. */
  finishTurn(at: number, isOver = true): void {
    const { isQuiet } = this.#outbox;
    const { isBegun } = this.#turn;
    // A line that is known may end a turn that is not.
    this.#outbox.isQuiet = isQuiet && !isBegun;
    if (isBegun) this.#conversation.closeCalls(at);
    if (isOver) this.#conversation.leaveCalls();
    this.#turn.finish(at, () => this.#promptText());
    if (isBegun) this.#outbox.flush();
    this.#outbox.isQuiet = isQuiet;
  }

  /** Lets everything go: there is no more to read. */
  finishAll(at: number): void {
    this.finishTurn(at, false);
    this.#conversation.closeCalls(at);
    this.#outbox.flush();
  }

  /** Takes a record. False where it only says once more what is kept already. */
  take(spoken: Spoken): boolean {
    return spoken.record['type'] === 'assistant' ? this.#assistant(spoken) : this.#user(spoken);
  }

  /** Puts a line with its parts into a message. */
  #add(spoken: Spoken, id: string, parts: (Part | ToolPart)[], extra: JsonObject = {}): boolean {
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
      line: lineOfSpoken(spoken, this.#around),
      lineId: spoken.lineId,
      metadata,
    });
    if (!spoken.isSide) this.#branches.moveTo(spoken.record, id, spoken.at);
    return isNews;
  }

  #user(spoken: Spoken): boolean {
    const { record, message, at, isSide } = spoken;
    const blocks = blocksOf(message['content']);
    const told = toldOf(record, blocks);
    const results = blocks.map((block) => resultOf(block, told)).filter((result) => result !== null);
    const others = blocks.filter((block) => resultOf(block, undefined) === null);
    const said: Said = isSide ? { kind: 'other' } : whatIsHeard(record, others);
    const id = idOf(record['uuid']) ?? spoken.lineId;
    if (said.kind === 'prompt' && results.length === 0 && this.#queue.prompted(said.text, at)) {
      this.finishTurn(spoken.before);
      this.#begin(at, id, said.text);
    }
    const calls = results.map((result) => this.#callOf(result));
    const orphans = results.filter((_, index) => calls[index] === null);
    const isOwn = others.length > 0 || orphans.length > 0 || results.length === 0;
    const known = results.flatMap((result, index): [Call, Result][] => {
      const call = calls[index];
      return call && call !== 'repeated' ? [[call, result]] : [];
    });
    if (!isOwn && known.length === 0) return false;
    if (!isOwn) this.#branches.add(record, known[0]?.[0].message_id ?? null, at);
    const isPlaced = told !== undefined || orphans.length > 0 || !known.every(([call]) => tellsOfNoSecretFile(call));
    const unplaced = isPlaced ? undefined : record['toolUseResult'];
    const line = isOwn || known.length === 0 ? null : lineOfSpoken(spoken, this.#around, unplaced);
    for (const [index, [call, result]] of known.entries())
      this.#finish(call, result, spoken, index === 0 ? line : null);
    for (const result of orphans) this.#early.note({ result, spoken, message: id });
    if (isOwn) {
      const parts = [...orphans.map((result) => orphanPart(result, at)), ...others.map(partOf)];
      this.#add(spoken, id, parts, orphans.length > 0 ? { is_orphan_result: true } : {});
    } else if (!isSide) this.#branches.moveTo(record, known[0]?.[0].message_id ?? null, at);
    if (said.kind === 'interrupt') this.#interrupted(at, id, said.text);
    return true;
  }

  /** Gives calls the results that stand before them. */
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

  /** The call that a result belongs to; null where none is known. */
  #callOf(result: Result): Call | null | 'repeated' {
    const id = result.callId;
    const open = this.#conversation.call(id);
    // What is known already stands in the order in which it was first read.
    if (this.#outbox.isQuiet) return open ?? (this.#conversation.isResolved(id) ? 'repeated' : null);
    if (open && (open.part !== undefined || !this.#branches.kept())) return open;
    if (this.#conversation.isResolved(id)) return 'repeated';
    const kept = this.#branches.kept();
    if (kept?.hasResult(id)) return 'repeated';
    const found = kept?.openCall(id);
    if (!found) return open ?? null;
    this.#conversation.expect(found);
    return found;
  }

  #finish(call: Call, result: Result, spoken: Spoken, line: JsonObject | null): void {
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

  /** The user refused a tool; with words of theirs the agent goes on, without them it stops. */
  #refused(result: Result, at: number): void {
    const words = wordsOfRefusal(result);
    if (words !== null) this.#turn.cutsIn(at, words);
    this.#turn.stops(at);
  }

  #assistant(spoken: Spoken): boolean {
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
    const tokens = this.#recalled ? this.#recalled.take(id, told) : told;
    const isError = isTrue(record['isApiErrorMessage']);
    const extra = { ...(tokens && { usage: { ...tokens } }), ...(isError && { is_api_error: true }) };
    const parts = blocks.map(partOf);
    const calls = parts.filter(isToolPart).map((part) => part.toolCallId);
    const late = calls.filter((call) => this.#early.has(call));
    // In a message that is new it is another call, though the id is one that had its result.
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

  #does(id: string, value: JsonValue, spoken: Spoken): void {
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
