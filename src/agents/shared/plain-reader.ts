/** Reads a transcript of lines, each with one record or more, of any agent that returns the events of a record. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Resume, TranscriptEvent, TranscriptReader } from '../contract/agent.ts';
import { callsForCursor } from './basic-cursor.ts';
import { without } from './blocks.ts';
import { Conversation } from './conversation.ts';
import { Copies } from './copies.ts';
import { secondsOf } from './fields.ts';
import { keyOf } from './keys.ts';
import { Known } from './known.ts';
import { readLine } from './lines.ts';
import { Live, type LivePlace } from './live.ts';
import { Outbox, UNKNOWN_TIME } from './outbox.ts';
import { endOfPast } from './past.ts';
import { eventsOfRewritten, type PlainAgent, type RecordContext, type RecordEvent } from './plain-agent.ts';
import { type PlainCursor, readPlainCursor } from './plain-cursor.ts';
import type { Entry } from './plain-entry.ts';
import { PlainEvents } from './plain-events.ts';
import { StoredTranscript } from './stored-transcript.ts';
import { type RecordPlace, type StreamedPlace, type TextualPart, textInLines } from './streamed.ts';
import { Turn } from './turn.ts';

/** A record as it was before the file was rewritten. */
interface Former {
  key: string;
  /** True if its meaning is the same, and it only gained fields. */
  isSame: boolean;
  /** The message that begins with it, if its meaning changed. */
  message: string | null;
  /** The fields that are new. */
  gained: JsonObject;
}

/** Fields that identify a record. */
interface Identity {
  key: string;
  former: Former | null;
}

/** The reader of a transcript of lines. */
export class PlainReader implements TranscriptReader {
  readonly #agent: PlainAgent;
  readonly #outbox = new Outbox();
  readonly #resume: Resume | null;
  readonly #isRewritten: boolean;
  readonly #conversation: Conversation;
  readonly #turn: Turn;
  readonly #known: Known;
  readonly #live: Live;
  readonly #copies: Copies;
  readonly #events: PlainEvents;
  readonly #promptId: string | null;
  readonly #speaker: string | null;
  #kept: StoredTranscript | null = null;
  #past = 0;
  #memory: JsonObject;
  #at: number;

  constructor(agent: PlainAgent, resume: Resume | null) {
    this.#agent = agent;
    this.#resume = resume;
    this.#isRewritten = resume?.rewritten === true;
    const told = readPlainCursor(resume?.cursor ?? null);
    // A file that was rewritten is read from its beginning; only the state of the session is known.
    const { about, state, asking, seq } = told;
    const cursor = this.#isRewritten ? { ...readPlainCursor(null), about, state, asking, seq } : told;
    this.#promptId = told.prompt?.id ?? null;
    this.#speaker = told.speaker;
    this.#at = cursor.at;
    this.#memory = cursor.memory;
    const kept = (): StoredTranscript | null => this.#lookUp();
    const outbox = this.#outbox;
    const keptId = (message: string): string | undefined => this.#lookUp()?.openPart(message);
    const conversation = new Conversation(outbox, cursor.seq, keptId);
    const earlier = { message: cursor.speaker, texts: () => this.#events.saidBefore };
    const turn = new Turn(outbox, cursor.state, cursor.asking, earlier);
    const known = new Known(cursor.about, (session) => outbox.put({ type: 'about', session }));
    const live = new Live(outbox, kept, cursor.live);
    const isKept = (key: string): boolean => this.#lookUp()?.lines.has(key) === true;
    this.#copies = new Copies(cursor.newest, resume !== null && !this.#isRewritten, isKept);
    for (const call of cursor.calls) conversation.expect(call);
    const textBefore = (from: StreamedPlace, until: RecordPlace): TextualPart | null =>
      textInLines(agent, resume?.lines?.() ?? [], from, until, this.#memory);
    this.#events = new PlainEvents({ agent, outbox, live, conversation, turn, known, kept, textBefore }, cursor);
    this.#conversation = conversation;
    this.#turn = turn;
    this.#known = known;
    this.#live = live;
    if (this.#isRewritten) this.#takeKept(told.live);
  }

  /** Reads the kept state of earlier parts; null in the first one. */
  #lookUp(): StoredTranscript | null {
    if (this.#resume)
      this.#kept ??= new StoredTranscript(this.#resume.kept(), { prompt: this.#promptId, speaker: this.#speaker });
    return this.#kept;
  }

  #takeKept(place: LivePlace): void {
    this.#live.takeUp(place);
    const kept = this.#lookUp();
    for (const id of kept?.order ?? []) this.#conversation.know(id);
    this.#past = endOfPast(this.#resume, kept?.lines ?? new Map(), (line) => this.#keysIn(line));
  }

  #keysIn(line: string): string[] {
    const { records } = readLine(line, this.#agent.shape);
    return records.flatMap((record) => [record, ...(this.#agent.formerRecords?.(record) ?? [])].map(keyOf));
  }

  line(text: string, number: number): TranscriptEvent[] {
    const { records, problem, rest } = readLine(text, this.#agent.shape);
    this.#turn.isPast = number <= this.#past;
    for (const [index, record] of records.entries()) this.#record(record, number, index);
    if (problem !== null) this.#problem(problem, rest, number);
    this.#outbox.weigh(text.length);
    return this.#outbox.take();
  }

  #problem(message: string, rest: string | null, line: number): void {
    if (rest !== null) {
      const key = keyOf(rest);
      this.#outbox.isQuiet = this.#isRewritten && this.#lookUp()?.find(key) === true;
      this.#outbox.record(this.#at, { kind: 'raw', agent: this.#agent.name, line, key, text: rest });
      this.#outbox.isQuiet = false;
    }
    this.#outbox.problem(line, message, rest);
  }

  #record(record: JsonObject, line: number, index: number): void {
    const told = this.#agent.timeOf(record);
    const at = secondsOf(told);
    if (at !== undefined && this.#at === UNKNOWN_TIME) this.#outbox.setTimes(at);
    const before = this.#at === UNKNOWN_TIME && at !== undefined ? at : this.#at;
    if (at !== undefined) this.#at = at;
    const key = keyOf(record);
    const stamped = { key, time: told === undefined || told === null ? '' : String(told) };
    const isKnown = this.#isRewritten && this.#lookUp()?.find(key) === true;
    const former = isKnown ? null : this.#formerOf(record);
    this.#outbox.isQuiet = isKnown || former?.isSame === true;
    if (this.#isCopy(stamped, isKnown)) this.#raw(record, line, { key, repeats: key });
    else {
      const entry = this.#entryOf(record, { key, former }, line, index, before);
      if (former?.isSame === false) this.#handleRewritten(record, entry);
      else this.#handleRecord(record, entry, line);
      this.#outbox.isQuiet = isKnown;
      if (former) this.#raw(record, line, { ...entry.line, repeats: former.key }, former.gained);
    }
    if (!this.#agent.isRepetitive) this.#copies.note(stamped);
    this.#outbox.isQuiet = false;
  }

  /** Returns what a record was before the file was rewritten: the same without its new fields, or another text of it. */
  #formerOf(record: JsonObject): Former | null {
    const kept = this.#isRewritten ? this.#lookUp() : null;
    if (!kept) return null;
    for (const former of this.#agent.formerRecords?.(record) ?? []) {
      const key = keyOf(former);
      if (kept.find(key)) return { key, isSame: true, message: null, gained: without(record, ...Object.keys(former)) };
    }
    const node = kept.nodes.get(this.#agent.ownId?.(record) ?? '');
    return node ? { key: node.key, isSame: false, message: node.message, gained: record } : null;
  }

  #isCopy(stamped: { key: string; time: string }, isKnown: boolean): boolean {
    if (this.#agent.isRepetitive) return false;
    if (this.#copies.has(stamped)) return true;
    return this.#isRewritten && !isKnown && this.#lookUp()?.lines.has(stamped.key) === true;
  }

  /** Returns the id of what a record makes: its key, with its position if the same text may mean another thing. */
  #idOf({ key, former }: Identity, line: number, index: number): string {
    const known = this.#outbox.isQuiet ? this.#lookUp()?.messageOf(former?.key ?? key) : former?.message;
    if (known) return known;
    if (!this.#agent.isRepetitive) return key;
    let id = `${key}.${line}${index === 0 ? '' : `-${index}`}`;
    while (this.#conversation.knows(id) && !this.#outbox.isQuiet) id += '+';
    return id;
  }

  #contextOf(record: JsonObject, id: string): RecordContext {
    return { record, id, memory: this.#memory, cwd: this.#known.cwd };
  }

  #entryOf(record: JsonObject, known: Identity, line: number, index: number, before: number): Entry {
    const { key, former } = known;
    const id = this.#idOf(known, line, index);
    const position = this.#agent.positionOf?.(this.#contextOf(record, id)) ?? null;
    const node = position && this.#live.add(position.id ?? key, position.parent, position.keeps);
    const about: JsonObject = node ? { key, node: { ...node } } : { key };
    const isRewritten = former?.isSame === false;
    const place = {
      id,
      place: { line, index },
      at: this.#at,
      before,
      line: about,
      node: node?.id,
      memory: this.#memory,
      newMemory: {},
    };
    return { ...place, isRewritten, isKept: isRewritten, messages: 0 };
  }

  #raw(record: JsonObject, line: number, about: JsonObject, data = record): void {
    const { name: agent, typeOf } = this.#agent;
    this.#outbox.record(this.#at, { kind: 'raw', agent, type: typeOf(record), line, ...about, data });
  }

  /** Handles another text of a record: its new parts belong to the same message. */
  #handleRewritten(record: JsonObject, entry: Entry): void {
    for (const event of eventsOfRewritten(this.#agent.eventsOf(this.#contextOf(record, entry.id)))) {
      if (event.what === 'message' && event.tokens) entry.line = { ...entry.line, usage: { ...event.tokens } };
      this.#handle(entry, event);
    }
  }

  #handleRecord(record: JsonObject, entry: Entry, line: number): void {
    const context = this.#contextOf(record, entry.id);
    const events = this.#agent.eventsOf(context);
    const kept = this.#agent.kept?.(context) ?? record;
    // A record that ends a turn belongs to it: it is kept before its events are handled.
    const isSpoken = events.some(({ what }) => what === 'message' || what === 'result');
    if (!isSpoken) this.#raw(record, line, entry.line, kept);
    for (const event of events) this.#handle(entry, event);
    this.#memory = { ...this.#memory, ...entry.newMemory };
    if (isSpoken && !entry.isKept) this.#raw(record, line, entry.line, kept);
  }

  #handle(entry: Entry, event: RecordEvent): void {
    if (event.what === 'remembers') this.#memory = { ...this.#memory, ...event.memory };
    else this.#events.handle(entry, event);
  }

  end(): TranscriptEvent[] {
    this.#turn.isPast = false;
    this.#events.finishAll(Math.max(this.#at, 0));
    return this.#outbox.take();
  }

  cursor(): JsonValue {
    const cursor: PlainCursor = {
      version: 1,
      at: this.#at,
      newest: this.#copies.newest,
      live: this.#live.place,
      ...this.#events.place,
      seq: this.#conversation.seq,
      state: this.#turn.state,
      speaker: this.#turn.speaker,
      asking: this.#turn.asking,
      calls: callsForCursor(this.#conversation.openCalls),
      about: this.#known.known,
      memory: this.#memory,
    };
    return JSON.parse(JSON.stringify(cursor)) as JsonValue;
  }
}
