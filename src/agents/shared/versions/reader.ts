/** Reads transcripts whose records tell each message as it stands now, again and again. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { About, Resume, TranscriptEvent, TranscriptReader } from '../../contract/agent.ts';
import { idOf } from '../fields.ts';
import { keyOf } from '../keys.ts';
import { Known } from '../known.ts';
import { Outbox, UNKNOWN_TIME } from '../outbox.ts';
import { isToolPart, type Result, type ToolPart } from '../parts.ts';
import type { PromptPlace } from '../prompt.ts';
import { Turn } from '../turn.ts';
import { addTokens, isNothing } from '../usage.ts';
import { cursorOf, readCursor } from './cursor.ts';
import type { Dialect, Telling, ToldMessage, ViewMove } from './dialect.ts';
import { VersionList } from './list.ts';
import { isAsking, isOfProgram, isOfUser, type News, orphanOf, VersionMessages, wholeOf, wordsOf } from './messages.ts';
import { pastTalk } from './past.ts';
import type { KnownMessage } from './prints.ts';
import { StoredVersions } from './stored-versions.ts';
import { VersionView } from './view.ts';

type ListMove = ViewMove & { type: 'list' };

/** One record on its way into what is kept. */
interface Entry {
  record: JsonObject;
  key: string;
  number: number;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
}

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
  /** Number of the last line of the past. */
  readonly #past: number;
  #at: number;
  /** The latest time that a message told. */
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
    const { end, standing } = pastTalk(dialect, resume, resume?.rewritten === true ? this.#lookUp() : null);
    this.#past = end;
    if (resume?.rewritten === true) this.#view.stands(standing, Math.max(cursor.at, 0), cursor.newest);
  }

  /** What is newer than all that was told before is new: no need to look it up. */
  #mayBeKept(at: number | undefined, newest: number): boolean {
    return this.#resume?.rewritten === true || at === undefined || at <= newest;
  }

  /** What is kept of earlier parts; null in the first one. */
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

  /** Whether a line of a file that is read anew was read before. */
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
    const telling = this.#dialect.tell(record, key);
    const { at } = telling;
    if (at !== undefined && this.#at === UNKNOWN_TIME) this.#outbox.setTimes(at);
    const before = this.#at === UNKNOWN_TIME && at !== undefined ? at : this.#at;
    if (at !== undefined) this.#at = at;
    const entry = { record, key, number, at: this.#at, before };
    if (!this.#isKnown(key)) this.#meaning(entry, telling);
    // What a known line says was taken in when it was read first; what it takes back may have come back since.
    else if (this.#dialect.comesBack && this.#view.has(telling.view)) this.#moves(entry, telling.view);
  }

  #meaning(entry: Entry, telling: Telling): void {
    if (!this.#turn.isPast) this.#hears(telling.about);
    const line = { key: entry.key, ...telling.line };
    const { message, results = [], view } = telling;
    // Words beside results came after them: they may begin a turn, to which the results do not belong.
    const hasReturned = this.#results(entry, results, message ? null : line);
    const retells = this.#messages.isRetold(message, this.#dialect);
    const isKept = message && !retells ? this.#message(entry, message, line, null) : hasReturned;
    if (!isKept) {
      const [data, retold] = view?.type === 'list' ? this.#lists(entry, view, telling.line) : [telling.line, []];
      this.#raw(entry, telling, retells ? wholeOf(telling) : data, retold);
      if (telling.isStop) this.#turn.stops(entry.at);
      if (telling.mark !== undefined) this.#view.marks(telling.mark);
    }
    this.#moves(entry, view);
  }

  /** The session is where it began. */
  #hears(about: About = {}): void {
    this.#about.hear({ ...about, cwd: this.#about.cwd ?? about.cwd });
  }

  /** @param retold what known messages used, as the record tells it */
  #raw(
    { record, key, number: line, at }: Entry,
    { type: told, message }: Telling,
    data: JsonObject,
    retold: readonly JsonObject[],
  ): void {
    const type = told ?? (typeof record['type'] === 'string' ? record['type'] : 'unknown');
    const usage = message?.usage ? { usage: { ...message.usage } } : {};
    const repeats = message ? { repeats: message.id, ...usage } : retold.length > 0 ? { retold: [...retold] } : {};
    this.#outbox.record(at, { kind: 'raw', agent: this.#dialect.agent, type, line, key, ...repeats, data });
  }

  #moves({ at }: Entry, move: ViewMove | undefined): void {
    if (this.#turn.isPast) return;
    if (move?.type === 'rewind') this.#view.rewind(move.to, at);
    if (move?.type === 'compact') this.#view.compact(move.from, at);
  }

  /** Ends the turn, where there is one. */
  #finishTurn(at: number): void {
    const { isBegun } = this.#turn;
    if (isBegun) this.#messages.closeCalls(at);
    this.#turn.finish(at, () => this.#prompt?.text ?? this.#lookUp()?.prompt ?? '');
    if (isBegun) this.#outbox.flush();
  }

  /**
   * Takes a version of a message. False where it brings nothing.
   * @param line what is kept of it with the message; null where that is kept elsewhere
   * @param counts what of it counts; all that is new where null
   */
  #message(entry: Entry, told: ToldMessage, line: JsonObject | null, counts: News[] | null): boolean {
    const known = this.#messages.find(told.id, told.at);
    const news = counts ?? this.#messages.news(told, known);
    const at = known ? entry.at : (told.at ?? entry.at);
    if (!known && told.prompt !== null && !this.#turn.isPast) {
      this.#finishTurn(entry.before);
      this.#prompt = { id: told.id, text: told.prompt };
      this.#turn.said(at, told.prompt);
    }
    const isPrograms = isOfProgram(told);
    const words = wordsOf(told);
    const isDone = !told.goesOn && words.length > 0;
    // Its end may be told with nothing else, when all that it says was read before.
    const isEnd = (isDone || told.isStopped) && this.#turn.state === 'running' && this.#view.leaf === told.id;
    const isWork = told.role === 'assistant' && !isPrograms && (!known || news.length > 0 || isEnd);
    if (isWork && !isAsking(told, news, this.#turn.asking)) this.#turn.works(at);
    const usedBefore = known?.usage ?? null;
    const isNews = this.#add(entry, told, line, known, news);
    const last = news.findLast(({ part }) => part.type === 'text' && part['text'] !== '');
    if (!isPrograms) for (const each of news) this.#does(told, each === last ? words : null, each, at);
    const since = told.usage && addTokens(told.usage, usedBefore ?? {}, -1);
    if (since && (usedBefore === null || !isNothing(since))) this.#turn.uses(since, usedBefore === null, false);
    // Of a message that is complete the words are the answer, wherever in it they stand.
    if (isWork && isDone) this.#turn.ends(at, { message: told.id, texts: words });
    if (told.isStopped && isWork) this.#turn.stops(at);
    return isNews;
  }

  #add(
    entry: Entry,
    told: ToldMessage,
    line: JsonObject | null,
    known: KnownMessage | undefined,
    news: News[],
  ): boolean {
    const agent = this.#agentId();
    const metadata = known ? {} : { parent_id: this.#view.leaf, ...(agent === undefined ? {} : { agent_id: agent }) };
    const at = known ? entry.at : (told.at ?? entry.at);
    const isNews = this.#messages.take({ told, at, line, metadata }, known, news);
    if (!known && !this.#turn.isPast) this.#view.begins(told.id);
    this.#newest = Math.max(this.#newest, told.at ?? -1);
    return isNews;
  }

  /** The id of the sub-agent whose session this is; undefined where it is the user's own. */
  #agentId(): string | undefined {
    const { agent_session_id: own, parent_agent_session_id: parent, sub_agent_type: type } = this.#about.known;
    return parent === undefined && type === undefined ? undefined : idOf(own);
  }

  /** @param words all texts of the message, with the last one that is new; else null */
  #does(told: ToldMessage, words: readonly string[] | null, news: News, at: number): void {
    const { part, at: doneAt, isNew, wasResolved } = news;
    const turn = this.#turn;
    if (isToolPart(part)) {
      const isUsers = isOfUser(told);
      if (!isUsers) turn.calls();
      const question = this.#dialect.question(part);
      if (isNew && question !== null) turn.asks(at, part.toolCallId, question);
      if (part.state !== 'input-available' && !wasResolved) this.#done(part, doneAt ?? at, isUsers);
    } else if (told.role !== 'assistant') return;
    else if (words) turn.restates(at, told.id, words, !told.goesOn);
    else if (part.type === 'reasoning') turn.thinks(told.id);
  }

  /** A call has its result. @param isUsers whether it is the user's own deed, of which the turn knows nothing */
  #done(part: ToolPart, at: number, isUsers = false): void {
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

  /** Takes results that stand in a record of their own. False where they only repeat what is known. */
  #results(entry: Entry, results: readonly Result[], line: JsonObject | null): boolean {
    let isTaken = false;
    let own = line;
    for (const [index, result] of results.entries()) {
      const call = this.#messages.call(result.callId);
      if (call === 'repeated') continue;
      if (call) this.#done(this.#messages.finish(call, result, entry.at, own), entry.at);
      else {
        const told = orphanOf(result, `${entry.key}/${index}`, entry.at);
        this.#add(entry, told, own, undefined, this.#messages.news(told, undefined));
      }
      isTaken = true;
      own = null;
    }
    return isTaken;
  }

  /** Takes the list of what is in view. @returns what is kept of it: the ids of what is known, and what says something else */
  #lists(entry: Entry, { messages }: ListMove, line: JsonObject): [JsonObject, readonly JsonObject[]] {
    const list = new VersionList(this.#messages, this.#view, entry.before, (telling, times, news) => {
      if (!this.#turn.isPast) this.#hears(telling.about);
      this.#results({ ...entry, ...times }, telling.results ?? [], null);
      if (telling.message) this.#message({ ...entry, ...times }, telling.message, null, news);
      if (telling.isStop) this.#turn.stops(times.at);
    });
    const listed = messages.map((each) => list.add(each));
    this.#at = Math.max(this.#at, list.reached);
    if (!this.#turn.isPast) this.#view.list(list.ids, list.reason, entry.at);
    return [{ ...line, messages: listed }, list.retold];
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
