/** Reads transcripts whose records repeat whole messages in their current form. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../../core/json.ts';
import type { About, Resume, TranscriptEvent, TranscriptReader } from '../../contract/agent.ts';
import { type BasicCursor, readBasicCursor } from '../basic-cursor.ts';
import { idOf } from '../fields.ts';
import { keyOf } from '../keys.ts';
import { Known } from '../known.ts';
import { Outbox, UNKNOWN_TIME } from '../outbox.ts';
import { isToolPart, type Result, type ToolPart } from '../parts.ts';
import { type PromptPlace, promptForCursor } from '../prompt.ts';
import { Turn } from '../turn.ts';
import { addTokens, isNothing } from '../usage.ts';
import type { Dialect, Meaning, VersionMessage, ViewMove } from './dialect.ts';
import { VersionList } from './list.ts';
import { isAsking, isOfProgram, isOfUser, type News, orphanOf, VersionMessages, wholeOf, wordsOf } from './messages.ts';
import { readPast } from './past.ts';
import { type KnownMessage, knownForCursor, readKnown } from './prints.ts';
import { StoredVersions } from './stored-versions.ts';
import { VersionView } from './view.ts';

/** Position up to which a transcript was read. */
interface VersionCursor extends BasicCursor {
  /** The latest time of a message; -1 if no message had one. */
  newest: number;
  /** The messages in view. */
  view: JsonObject;
  /** The latest messages. */
  known: ReadonlyMap<string, KnownMessage>;
}

/** Returns a cursor as plain JSON. */
function cursorOf(cursor: Omit<VersionCursor, 'version'>): JsonValue {
  const { known, prompt, ...plain } = cursor;
  const all = { version: 1, ...plain, known: knownForCursor(known), prompt: promptForCursor(prompt) };
  return JSON.parse(JSON.stringify(all)) as JsonValue;
}

/** Reads a cursor back; a field that is missing or invalid gets the value that it has at the beginning of a file. */
function readCursor(value: JsonValue): VersionCursor & { known: Map<string, KnownMessage> } {
  const fields = objectOf(value) ?? {};
  return {
    ...readBasicCursor(fields),
    newest: numberOf(fields['newest']) ?? -1,
    view: objectOf(fields['view']) ?? {},
    known: readKnown(fields['known']),
  };
}

type ListMove = ViewMove & { type: 'list' };

/** One record while it is read. */
interface Entry {
  record: JsonObject;
  key: string;
  number: number;
  at: number;
  /** The time of the record before this one, which is the end of a turn that this record closes. */
  before: number;
}

/** The reader of such a transcript. */
export class VersionReader implements TranscriptReader {
  readonly #dialect: Dialect;
  readonly #resume: Resume | null;
  readonly #outbox = new Outbox();
  readonly #turn: Turn;
  readonly #about: Known;
  readonly #view: VersionView;
  readonly #messages: VersionMessages;
  #prompt: PromptPlace | null;
  #kept: StoredVersions | null = null;
  /** The number of the last line that is stored already. */
  readonly #past: number;
  #at: number;
  /** The latest time of a message. */
  #newest: number;

  constructor(dialect: Dialect, resume: Resume | null) {
    const cursor = readCursor(resume?.cursor ?? null);
    const kept = (): StoredVersions | null => this.#lookUp();
    const isKnowable = (at: number | undefined): boolean => resume !== null && this.#mayBeKept(at, cursor.newest);
    this.#dialect = dialect;
    this.#resume = resume;
    this.#at = cursor.at;
    this.#newest = cursor.newest;
    this.#prompt = cursor.prompt;
    this.#turn = new Turn(this.#outbox, cursor.state, cursor.asking);
    this.#about = new Known(cursor.about, (session) => this.#outbox.put({ type: 'about', session }));
    this.#view = new VersionView(this.#outbox, kept, cursor.view);
    this.#messages = new VersionMessages(this.#outbox, kept, isKnowable, cursor.known, cursor.seq);
    const { end, messages } = readPast(dialect, resume, resume?.rewritten === true ? this.#lookUp() : null);
    this.#past = end;
    if (resume?.rewritten === true) this.#view.reconcile(messages, Math.max(cursor.at, 0), cursor.newest);
  }

  /** Returns whether a message of a time may be stored. One that is newer than all stored messages is new, and not looked up. */
  #mayBeKept(at: number | undefined, newest: number): boolean {
    return this.#resume?.rewritten === true || at === undefined || at <= newest;
  }

  /** Returns what earlier reads stored, or null in the first read. */
  #lookUp(): StoredVersions | null {
    if (this.#resume) this.#kept ??= new StoredVersions(this.#resume.kept(), this.#prompt?.id ?? null);
    return this.#kept;
  }

  line(text: string, number: number): TranscriptEvent[] {
    const { records, problem, rest } = this.#dialect.read(text);
    this.#turn.isPast = number <= this.#past;
    for (const record of records) this.#record(record, number);
    if (problem !== null) this.#problem(problem, rest, number);
    this.#outbox.weigh(text.length);
    return this.#outbox.take();
  }

  /** Returns whether a line of a rewritten file is stored already. */
  #isKnown(key: string): boolean {
    return this.#resume?.rewritten === true && this.#lookUp()?.find(key) === true;
  }

  #problem(message: string, rest: string | null, line: number): void {
    const key = rest === null ? null : keyOf(rest);
    if (rest !== null && key !== null && !this.#isKnown(key))
      this.#outbox.record(this.#at, { kind: 'raw', agent: this.#dialect.agent, line, key, text: rest });
    this.#outbox.problem(line, message, rest);
  }

  #record(record: JsonObject, number: number): void {
    const key = keyOf(record);
    const meaning = this.#dialect.meaningOf(record, key);
    const { at } = meaning;
    if (at !== undefined && this.#at === UNKNOWN_TIME) this.#outbox.setTimes(at);
    const before = this.#at === UNKNOWN_TIME && at !== undefined ? at : this.#at;
    if (at !== undefined) this.#at = at;
    const entry = { record, key, number, at: this.#at, before };
    if (!this.#isKnown(key)) this.#take(entry, meaning);
    // A known line was taken when it was first read, but the messages that it takes back may be in view again since.
    else if (this.#dialect.restoresRewound && this.#view.has(meaning.view)) this.#moveView(entry, meaning.view);
  }

  #take(entry: Entry, meaning: Meaning): void {
    if (!this.#turn.isPast) this.#updateAbout(meaning.about);
    const line = { key: entry.key, ...meaning.line };
    const { message, results = [], view } = meaning;
    // Results are older than a message in the same record, which may begin a new turn.
    const hasReturned = this.#results(entry, results, message ? null : line);
    const repeatsInOtherForm = this.#messages.isRepeated(message, this.#dialect);
    const isKept = message && !repeatsInOtherForm ? this.#message(entry, message, line, null) : hasReturned;
    if (!isKept) {
      const [data, repeatedUsage] = view?.type === 'list' ? this.#list(entry, view, meaning.line) : [meaning.line, []];
      this.#raw(entry, meaning, repeatsInOtherForm ? wholeOf(meaning) : data, repeatedUsage);
      if (meaning.isStop) this.#turn.stops(entry.at);
      if (meaning.mark !== undefined) this.#view.addMark(meaning.mark);
    }
    this.#moveView(entry, view);
  }

  /** Updates the information about the session. Its folder stays the first one. */
  #updateAbout(about: About = {}): void {
    this.#about.update({ ...about, cwd: this.#about.cwd ?? about.cwd });
  }

  /** Keeps a record as it is. @param repeatedUsage the usage of known messages that the record repeats */
  #raw(
    { record, key, number: line, at }: Entry,
    { type: givenType, message }: Meaning,
    data: JsonObject,
    repeatedUsage: readonly JsonObject[],
  ): void {
    const type = givenType ?? (typeof record['type'] === 'string' ? record['type'] : 'unknown');
    const usage = message?.usage ? { usage: { ...message.usage } } : {};
    const repeats = message
      ? { repeats: message.id, ...usage }
      : repeatedUsage.length > 0
        ? { retold: [...repeatedUsage] }
        : {};
    this.#outbox.record(at, { kind: 'raw', agent: this.#dialect.agent, type, line, key, ...repeats, data });
  }

  #moveView({ at }: Entry, move: ViewMove | undefined): void {
    if (this.#turn.isPast) return;
    if (move?.type === 'rewind') this.#view.rewind(move.to, at);
    if (move?.type === 'compact') this.#view.compact(move.from, at);
  }

  /** Ends the turn if one has begun. */
  #finishTurn(at: number): void {
    const { isBegun } = this.#turn;
    if (isBegun) this.#messages.closeCalls(at);
    this.#turn.finish(at, () => this.#prompt?.text ?? this.#lookUp()?.prompt ?? '');
    if (isBegun) this.#outbox.flush();
  }

  /**
   * Takes a version of a message. Returns false if the version adds nothing.
   * @param line the rest of the record, which is kept with the message; null if it is kept elsewhere
   * @param counts the parts of the version that count; null for all that are new
   */
  #message(entry: Entry, version: VersionMessage, line: JsonObject | null, counts: News[] | null): boolean {
    const known = this.#messages.find(version.id, version.at);
    const news = counts ?? this.#messages.news(version, known);
    const at = known ? entry.at : (version.at ?? entry.at);
    if (!known && version.prompt !== null && !this.#turn.isPast) {
      this.#finishTurn(entry.before);
      this.#prompt = { id: version.id, text: version.prompt };
      this.#turn.said(at, version.prompt);
    }
    const isPrograms = isOfProgram(version);
    const words = wordsOf(version);
    const isDone = !version.continues && words.length > 0;
    // A version may add only the end of its message, if all parts were read before.
    const isEnd = (isDone || version.isStopped) && this.#turn.state === 'running' && this.#view.leaf === version.id;
    const isWork = version.role === 'assistant' && !isPrograms && (!known || news.length > 0 || isEnd);
    if (isWork && !isAsking(version, news, this.#turn.asking)) this.#turn.works(at);
    const usedBefore = known?.usage ?? null;
    const isNews = this.#add(entry, version, line, known, news);
    const last = news.findLast(({ part }) => part.type === 'text' && part['text'] !== '');
    if (!isPrograms) for (const each of news) this.#takePart(version, each === last ? words : null, each, at);
    const since = version.usage && addTokens(version.usage, usedBefore ?? {}, -1);
    if (since && (usedBefore === null || !isNothing(since))) this.#turn.uses(since, usedBefore === null, false);
    // The texts of a complete message are the answer, at whatever position.
    if (isWork && isDone) this.#turn.ends(at, { message: version.id, texts: words });
    if (version.isStopped && isWork) this.#turn.stops(at);
    return isNews;
  }

  #add(
    entry: Entry,
    version: VersionMessage,
    line: JsonObject | null,
    known: KnownMessage | undefined,
    news: News[],
  ): boolean {
    const agent = this.#agentId();
    const metadata = known ? {} : { parent_id: this.#view.leaf, ...(agent === undefined ? {} : { agent_id: agent }) };
    const at = known ? entry.at : (version.at ?? entry.at);
    const isNews = this.#messages.take({ version, at, line, metadata }, known, news);
    if (!known && !this.#turn.isPast) this.#view.append(version.id);
    this.#newest = Math.max(this.#newest, version.at ?? -1);
    return isNews;
  }

  /** Returns the id of the sub-agent whose session this is, or undefined if it is the user's own session. */
  #agentId(): string | undefined {
    const { agent_session_id: own, parent_agent_session_id: parent, sub_agent_type: type } = this.#about.known;
    return parent === undefined && type === undefined ? undefined : idOf(own);
  }

  /** Moves the turn by one new part. @param words all texts of the message if this part is its last new text; else null */
  #takePart(version: VersionMessage, words: readonly string[] | null, news: News, at: number): void {
    const { part, at: doneAt, isNew, wasResolved } = news;
    const turn = this.#turn;
    if (isToolPart(part)) {
      const isUsers = isOfUser(version);
      if (!isUsers) turn.calls();
      const question = this.#dialect.question(part);
      if (isNew && question !== null) turn.asks(at, part.toolCallId, question);
      if (part.state !== 'input-available' && !wasResolved) this.#takeResult(part, doneAt ?? at, isUsers);
    } else if (version.role !== 'assistant') return;
    else if (words) turn.restates(at, version.id, words, !version.continues);
    else if (part.type === 'reasoning') turn.thinks(version.id);
  }

  /** Records what a call with a result did. @param isUsers whether the user made the call, which does not change the turn */
  #takeResult(part: ToolPart, at: number, isUsers = false): void {
    for (const { body, content } of this.#dialect.derive(part, this.#about.cwd))
      this.#outbox.record(at, { ...body, tool_call_id: part.toolCallId }, content);
    if (isUsers) return;
    if (this.#turn.asking !== part.toolCallId) this.#turn.returns();
    else {
      const answer = this.#dialect.answer(part);
      if (answer === null) this.#turn.stops(at, 'Declined to answer');
      else this.#turn.said(at, answer);
    }
  }

  /** Adds the results of a record to their calls. @returns false if all results are known */
  #results(entry: Entry, results: readonly Result[], line: JsonObject | null): boolean {
    let isTaken = false;
    let own = line;
    for (const [index, result] of results.entries()) {
      const call = this.#messages.call(result.callId);
      if (call === 'repeated') continue;
      if (call) this.#takeResult(this.#messages.finish(call, result, entry.at, own), entry.at);
      else {
        const version = orphanOf(result, `${entry.key}/${index}`, entry.at);
        this.#add(entry, version, own, undefined, this.#messages.news(version, undefined));
      }
      isTaken = true;
      own = null;
    }
    return isTaken;
  }

  /** Takes a list of the messages in view. @returns the list with ids for known messages, and the usage that it repeats */
  #list(entry: Entry, { messages }: ListMove, line: JsonObject): [JsonObject, readonly JsonObject[]] {
    const list = new VersionList(this.#messages, this.#view, entry.before, (meaning, times, news) => {
      if (!this.#turn.isPast) this.#updateAbout(meaning.about);
      this.#results({ ...entry, ...times }, meaning.results ?? [], null);
      if (meaning.message) this.#message({ ...entry, ...times }, meaning.message, null, news);
      if (meaning.isStop) this.#turn.stops(times.at);
    });
    const listed = messages.map((each) => list.add(each));
    this.#at = Math.max(this.#at, list.reached);
    if (!this.#turn.isPast) this.#view.list(list.ids, list.reason, entry.at);
    return [{ ...line, messages: listed }, list.repeatedUsage];
  }

  end(): TranscriptEvent[] {
    const at = Math.max(this.#at, 0);
    this.#turn.isPast = false;
    this.#finishTurn(at);
    this.#messages.closeCalls(at);
    this.#outbox.flush();
    return this.#outbox.take();
  }

  cursor(): JsonValue {
    return cursorOf({
      at: this.#at,
      newest: this.#newest,
      view: this.#view.place,
      known: this.#messages.known.latest,
      seq: this.#messages.seq,
      state: this.#turn.state,
      asking: this.#turn.asking,
      prompt: this.#prompt,
      about: this.#about.known,
    });
  }
}
