/** Reads a transcript of lines, one record or more on each, for any agent that tells what its records say. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Resume, TranscriptEvent, TranscriptReader } from '../contract/agent.ts';
import { without } from './blocks.ts';
import { callsForCursor } from './calls.ts';
import { Conversation } from './conversation.ts';
import { Copies } from './copies.ts';
import { secondsOf } from './fields.ts';
import { keyOf } from './keys.ts';
import { Known } from './known.ts';
import { readLine } from './lines.ts';
import { Live, type LivePlace } from './live.ts';
import { Outbox, UNKNOWN_TIME } from './outbox.ts';
import { endOfPast } from './past.ts';
import { type Heard, type PlainAgent, type Saying, saidAnew } from './plain-agent.ts';
import { type PlainCursor, readPlainCursor } from './plain-cursor.ts';
import type { Entry } from './plain-entry.ts';
import { PlainTalk } from './plain-talk.ts';
import { StoredTranscript } from './stored-transcript.ts';
import { type RecordPlace, type StreamedPlace, type TextualPart, textInLines } from './streamed.ts';
import { Turn } from './turn.ts';

/** What a record was before the file was written anew. */
interface Former {
  key: string;
  /** Whether it says the same, and only gained fields. */
  isSame: boolean;
  /** The message that begins with it, where it says something else now. */
  message: string | null;
  /** What is new in it. */
  gained: JsonObject;
}

/** What is known of a record before it is understood. */
interface Identity {
  key: string;
  former: Former | null;
}

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
  readonly #talk: PlainTalk;
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
    // A file that was rewritten is gone through from its beginning, and only how the session stands is known.
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
    const earlier = { message: cursor.speaker, texts: () => this.#talk.saidBefore };
    const turn = new Turn(outbox, cursor.state, cursor.asking, earlier);
    const known = new Known(cursor.about, (session) => outbox.put({ type: 'about', session }));
    const live = new Live(outbox, kept, cursor.live);
    const isKept = (key: string): boolean => this.#lookUp()?.lines.has(key) === true;
    this.#copies = new Copies(cursor.newest, resume !== null && !this.#isRewritten, isKept);
    for (const call of cursor.calls) conversation.expect(call);
    const textBefore = (from: StreamedPlace, until: RecordPlace): TextualPart | null =>
      textInLines(agent, resume?.lines?.() ?? [], from, until, this.#memory);
    this.#talk = new PlainTalk({ agent, outbox, live, conversation, turn, known, kept, textBefore }, cursor);
    this.#conversation = conversation;
    this.#turn = turn;
    this.#known = known;
    this.#live = live;
    if (this.#isRewritten) this.#takeKept(told.live);
  }

  /** What is kept of earlier parts; null in the first one. */
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
    return records.flatMap((record) => [record, ...(this.#agent.formers?.(record) ?? [])].map(keyOf));
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
      if (former?.isSame === false) this.#anew(record, entry);
      else this.#meaning(record, entry, line);
      this.#outbox.isQuiet = isKnown;
      if (former) this.#raw(record, line, { ...entry.line, repeats: former.key }, former.gained);
    }
    if (!this.#agent.isRepetitive) this.#copies.note(stamped);
    this.#outbox.isQuiet = false;
  }

  /** What a record of a file that was written anew was before: the same without its new fields, or another text of it. */
  #formerOf(record: JsonObject): Former | null {
    const kept = this.#isRewritten ? this.#lookUp() : null;
    if (!kept) return null;
    for (const former of this.#agent.formers?.(record) ?? []) {
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

  /** The id of what a record makes: its key, with its place where the same text may mean another thing. */
  #idOf({ key, former }: Identity, line: number, index: number): string {
    const known = this.#outbox.isQuiet ? this.#lookUp()?.messageOf(former?.key ?? key) : former?.message;
    if (known) return known;
    if (!this.#agent.isRepetitive) return key;
    let id = `${key}.${line}${index === 0 ? '' : `-${index}`}`;
    while (this.#conversation.knows(id) && !this.#outbox.isQuiet) id += '+';
    return id;
  }

  #heard(record: JsonObject, id: string): Heard {
    return { record, id, memory: this.#memory, cwd: this.#known.cwd };
  }

  #entryOf(record: JsonObject, known: Identity, line: number, index: number, before: number): Entry {
    const { key, former } = known;
    const id = this.#idOf(known, line, index);
    const hangs = this.#agent.hangs?.(this.#heard(record, id)) ?? null;
    const node = hangs && this.#live.hang(hangs.id ?? key, hangs.parent, hangs.keeps);
    const about: JsonObject = node ? { key, node: { ...node } } : { key };
    const isAnew = former?.isSame === false;
    const place = {
      id,
      place: { line, index },
      at: this.#at,
      before,
      line: about,
      node: node?.id,
      memory: this.#memory,
      learned: {},
    };
    return { ...place, isAnew, isKept: isAnew, messages: 0 };
  }

  #raw(record: JsonObject, line: number, about: JsonObject, data = record): void {
    const { name: agent, typeOf } = this.#agent;
    this.#outbox.record(this.#at, { kind: 'raw', agent, type: typeOf(record), line, ...about, data });
  }

  /** Takes another text of a record: what it says now belongs to the same message. */
  #anew(record: JsonObject, entry: Entry): void {
    for (const saying of saidAnew(this.#agent.says(this.#heard(record, entry.id)))) {
      if (saying.what === 'message' && saying.tokens) entry.line = { ...entry.line, usage: { ...saying.tokens } };
      this.#hear(entry, saying);
    }
  }

  #meaning(record: JsonObject, entry: Entry, line: number): void {
    const heard = this.#heard(record, entry.id);
    const sayings = this.#agent.says(heard);
    const kept = this.#agent.kept?.(heard) ?? record;
    // A record that ends a turn belongs to it: it stands there before what it says is acted on.
    const isSpoken = sayings.some(({ what }) => what === 'message' || what === 'result');
    if (!isSpoken) this.#raw(record, line, entry.line, kept);
    for (const saying of sayings) this.#hear(entry, saying);
    this.#memory = { ...this.#memory, ...entry.learned };
    if (isSpoken && !entry.isKept) this.#raw(record, line, entry.line, kept);
  }

  #hear(entry: Entry, saying: Saying): void {
    if (saying.what === 'remembers') this.#memory = { ...this.#memory, ...saying.memory };
    else this.#talk.hear(entry, saying);
  }

  end(): TranscriptEvent[] {
    this.#turn.isPast = false;
    this.#talk.finishAll(Math.max(this.#at, 0));
    return this.#outbox.take();
  }

  cursor(): JsonValue {
    const cursor: PlainCursor = {
      version: 1,
      at: this.#at,
      newest: this.#copies.newest,
      live: this.#live.place,
      ...this.#talk.place,
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
