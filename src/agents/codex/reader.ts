/** Reads a rollout of Codex line by line and passes each record to the part of the reader that handles it. */
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { Beside, Resume, TranscriptEvent, TranscriptReader } from '../contract/agent.ts';
import { callsForCursor } from '../shared/basic-cursor.ts';
import { Conversation } from '../shared/conversation.ts';
import { Copies, type Stamped } from '../shared/copies.ts';
import { idOf, timeOf } from '../shared/fields.ts';
import { keyOf } from '../shared/keys.ts';
import { Outbox, UNKNOWN_TIME } from '../shared/outbox.ts';
import { endOfPast } from '../shared/past.ts';
import { Turn } from '../shared/turn.ts';
import { addTokens, isNothing, type Tokens } from '../shared/usage.ts';
import { CallRecords } from './call-records.ts';
import { Counter, type ReportedSum, type Sum, sumIn } from './counter.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { Inherited } from './inherited.ts';
import { type Base, baseOf, lookUp } from './lineage.ts';
import { Messages } from './messages.ts';
import { folderIn } from './old-rollout.ts';
import { contentOf, type Entry, readRecords, typeOf, withoutPiece } from './record.ts';
import { Session } from './session.ts';
import { StoredRollout } from './stored-rollout.ts';
import { View } from './view.ts';

/** The history modes of Codex that ctx knows. */
const MODES: readonly string[] = ['legacy', 'paginated'];

/** Returns the problem of a `session_meta` with an unknown history mode; null if it is known. */
function unknownMode(meta: JsonObject): TranscriptEvent | null {
  const mode = textOf(meta['history_mode']);
  if (mode === undefined || MODES.includes(mode)) return null;
  const message = `has the history mode ${JSON.stringify(mode)}, which ctx does not know: a part of the session may lie elsewhere`;
  return { type: 'problem', line: 1, message, all_read: true, beyond: { unknown: mode } };
}

/** Returns the problem of a rollout whose base is missing. */
const missingBase = ({ rollout }: Base): TranscriptEvent => ({
  type: 'problem',
  line: 1,
  message: `continues the rollout ${rollout}, which is not there or cannot be read: what was said before is missing`,
  all_read: true,
  beyond: { missing: rollout },
});

/** The reader of a rollout. */
export class CodexReader implements TranscriptReader {
  readonly #outbox = new Outbox();
  readonly #resume: Resume | null;
  readonly #told: Cursor;
  readonly #isRewritten: boolean;
  /** True if it is known how far an earlier file was read. */
  #isResumed = false;
  /** True if another file of the session was read before this one. */
  #isContinued = false;
  readonly #conversation: Conversation;
  readonly #turn: Turn;
  readonly #session: Session;
  readonly #view: View;
  readonly #callRecords: CallRecords;
  readonly #counter: Counter;
  readonly #copies: Copies;
  readonly #inherited: Inherited;
  readonly #beside: Beside | undefined;
  readonly #messages: Messages;
  readonly #promptId: string | null;
  #kept: StoredRollout | null = null;
  readonly #past: number;
  #at: number;
  /** The tokens in the past of a file that was rewritten: the next sum that is kept includes them. */
  #owed: Tokens = {};

  constructor(resume: Resume | null, beside?: Beside) {
    this.#resume = resume;
    this.#isRewritten = resume?.rewritten === true || resume?.isEarlier === true;
    const told = readCursor(resume?.cursor ?? null);
    this.#told = told;
    // A file that was rewritten is read from its beginning; only the state of the session is known.
    const { about, state, asking, seq } = told;
    const cursor = this.#isRewritten ? { ...readCursor(null), about, state, asking, seq } : told;
    this.#promptId = told.prompt?.id ?? null;
    this.#at = cursor.at;
    const kept = (): StoredRollout | null => this.#lookUp();
    this.#conversation = new Conversation(this.#outbox, cursor.seq);
    const earlier = { message: cursor.speaker, texts: () => this.#lookUp()?.said ?? [] };
    this.#turn = new Turn(this.#outbox, cursor.state, cursor.asking, earlier);
    this.#session = new Session(cursor.about, (session) => this.#outbox.put({ type: 'about', session }));
    this.#view = new View(this.#outbox, kept, cursor.view);
    this.#callRecords = new CallRecords(this.#outbox, cursor.told, cursor.running);
    this.#counter = new Counter(cursor.sum, cursor.is_sum_begun);
    this.#inherited = new Inherited(cursor.inherited, beside);
    this.#beside = beside;
    const isKept = (key: string): boolean => this.#lookUp()?.lines.has(key) === true;
    this.#copies = new Copies(cursor.newest, resume !== null && !this.#isRewritten, isKept);
    for (const call of cursor.calls) this.#conversation.expect(call);
    if (cursor.group !== null) this.#conversation.know(cursor.group);
    const [outbox, view, conversation] = [this.#outbox, this.#view, this.#conversation];
    const [turn, session, callRecords] = [this.#turn, this.#session, this.#callRecords];
    this.#messages = new Messages({ outbox, view, conversation, turn, session, callRecords, kept }, cursor);
    const lines = resume?.rewritten === true ? this.#lookUp()?.lines : undefined;
    this.#past = endOfPast(resume, lines ?? new Map(), (line) => readRecords(line).records.map(keyOf));
  }

  /** Returns the kept records of earlier parts; null in the first one. */
  #lookUp(): StoredRollout | null {
    const told = { prompt: this.#promptId, speaker: this.#told.speaker };
    if (this.#resume) this.#kept ??= new StoredRollout(this.#resume.kept(), told, this.#session.id);
    return this.#kept;
  }

  line(text: string, number: number): TranscriptEvent[] {
    if (number === 1) this.#begins();
    else if (this.#resume?.isEarlier === true) this.#goesOnIn(number);
    const { records, problem, rest } = readRecords(text);
    this.#turn.isPast = number <= this.#past;
    for (const record of records) this.#record(record, number);
    if (problem !== null) this.#problem(problem, rest, number);
    this.#outbox.weigh(text.length);
    return this.#outbox.take();
  }

  /** Begins a file: if another one of the session was read before, this one continues it, and its records are its own. */
  #begins(): void {
    this.#isContinued = this.#resume !== null && !this.#isRewritten;
    this.#inherited.begin();
  }

  /** Reads again the part of an earlier file that was read: its state is not in the cursor of a later file. */
  #goesOnIn(number: number): void {
    if (this.#isResumed) return;
    this.#isResumed = true;
    for (const line of this.#resume?.lines?.() ?? []) {
      if (line.number >= number) break;
      for (const record of readRecords(line.text ?? '').records) {
        const { payload } = contentOf(record);
        if (line.number === 1) this.#standsOn(payload);
        this.#inherited.hear(record);
        this.#counter.take(sumIn(typeOf(record), payload, this.#session.id));
      }
    }
  }

  #problem(message: string, rest: string | null, line: number): void {
    if (rest !== null) {
      const key = keyOf(rest);
      this.#outbox.isQuiet = this.#isRewritten && this.#lookUp()?.find(key) === true;
      this.#outbox.record(this.#at, { kind: 'raw', agent: 'codex', line, key, text: rest });
      this.#outbox.isQuiet = false;
    }
    this.#outbox.problem(line, message, rest);
  }

  #record(record: JsonObject, line: number): void {
    const at = timeOf(record);
    if (at !== undefined && this.#at === UNKNOWN_TIME) this.#outbox.setTimes(at);
    const before = this.#at === UNKNOWN_TIME && at !== undefined ? at : this.#at;
    if (at !== undefined) this.#at = at;
    const [content, key] = [contentOf(record), keyOf(record)];
    const id = content.isBare ? `${key}.${line}` : key;
    const entry: Entry = { record, ...content, key, id, at: this.#at, before };
    const isKnown = this.#isRewritten && this.#lookUp()?.find(key) === true;
    const isInherited = this.#inherited.hear(record);
    const stamped = { key, time: idOf(record['timestamp']) ?? '' };
    const isCopy = !content.isBare && this.#isCopy(stamped, isKnown);
    // An older ctx took the other files of a session for a rewritten first one: their lines are kept.
    if (isCopy && this.#isContinued && this.#lookUp()?.lines.has(key)) return;
    this.#outbox.isQuiet = isKnown;
    if (isCopy) this.#raw(entry, line, { repeats: entry.key });
    else this.#meaning(entry, line, isInherited);
    this.#copies.note(stamped);
    this.#outbox.isQuiet = false;
  }

  #isCopy(stamped: Stamped, isKnown: boolean): boolean {
    if (this.#copies.has(stamped)) return true;
    return !isKnown && this.#isRewritten && this.#kept?.lines.has(stamped.key) === true;
  }

  #raw({ record, key, at }: Entry, line: number, extra: JsonObject = {}): void {
    const type = typeOf(record);
    this.#outbox.record(at, { kind: 'raw', agent: 'codex', type, line, key, ...extra, data: withoutPiece(record) });
  }

  #meaning(entry: Entry, line: number, isInherited: boolean): void {
    const { record, type, payload } = entry;
    if (type === 'response_item' && this.#session.cwd === undefined)
      this.#session.readContext({ cwd: folderIn(payload) ?? null });
    if (type === 'response_item' && this.#messages.item(entry)) return;
    if (type === 'compacted' && this.#messages.compacts(entry)) return;
    // The end of a turn belongs to it, and the beginning of the next one does not.
    if (type === 'event_msg' && payload['type'] === 'task_started') this.#messages.begins(entry.at, entry.before);
    this.#raw(entry, line);
    if (type === 'session_meta') this.#meta(entry, line);
    if (type === 'turn_context' && !this.#turn.isPast) this.#session.readContext(payload);
    this.#uses(sumIn(typeOf(record), payload, this.#session.id), isInherited);
    if (type === 'event_msg') this.#event(entry);
  }

  /** Reads the meta of a session: if the file continues others, their records after its base were reverted. */
  #meta({ payload, at }: Entry, line: number): void {
    const base = line === 1 ? baseOf(payload) : undefined;
    this.#session.readMeta(payload, base && this.#standsOn(payload));
    if (line !== 1) return;
    const mode = unknownMode(payload);
    if (mode) this.#outbox.put(mode);
    if (!this.#isContinued) return;
    this.#messages.endGroup();
    if (base?.end !== undefined) this.#view.rollBack(this.#lookUp()?.promptsFrom(base.end) ?? 0, at);
  }

  /** Adds the tokens of the base of a file. @returns the session that used them, if its file exists */
  #standsOn(meta: JsonObject): string | undefined {
    const base = baseOf(meta);
    if (!base) return undefined;
    const found = this.#beside ? lookUp(base, this.#beside) : null;
    this.#counter.goOnFrom(found?.sum ?? (this.#isContinued ? this.#sumKept(base) : null));
    if (!found && this.#beside && !this.#isContinued) this.#outbox.put(missingBase(base));
    return found?.thread;
  }

  /** Returns the tokens before a base, as far as they are kept. */
  #sumKept({ end }: Base): Sum {
    return (end === undefined ? null : this.#lookUp()?.sumBefore(end)) ?? this.#counter.sum;
  }

  #event({ payload, at }: Entry): void {
    switch (payload['type']) {
      case 'task_complete':
      case 'turn_complete':
        this.#messages.completes(at, textOf(payload['last_agent_message']));
        return;
      case 'turn_aborted':
        this.#messages.breaksOff(at);
        return;
      case 'error':
        this.#turn.stops(at);
        return;
      case 'thread_rolled_back':
        this.#messages.endGroup();
        this.#view.rollBack(Math.trunc(numberOf(payload['num_turns']) ?? 0), at);
        return;
      case 'thread_name_updated':
        this.#session.rename(textOf(payload['thread_name']));
        return;
      case 'item_completed':
        this.#ends(objectOf(payload['item']), at);
        return;
      case 'exec_command_end':
      case 'patch_apply_end':
        this.#ends(payload, at);
    }
  }

  /** Handles the end of a tool. */
  #ends(end: JsonObject | undefined, at: number): void {
    const id = idOf(end?.['call_id']) ?? idOf(end?.['id']);
    if (end && id !== undefined) this.#callRecords.ends(end, id, this.#conversation.call(id), at, this.#session.cwd);
  }

  #uses(sum: ReportedSum | undefined, isInherited: boolean): void {
    if (!sum) return;
    const hasCalled = this.#messages.place.group !== null || this.#turn.speaker !== null;
    const isHeir = this.#inherited.state.parent !== null;
    if (!isInherited) this.#counter.separate(sum, { isHeir, hasCalled });
    const tokens = this.#counter.take(sum);
    const { isQuiet } = this.#outbox;
    const { isAnew } = this.#counter;
    if (isInherited || (isQuiet && !isAnew)) this.#owed = {};
    else if (isAnew || !this.#turn.isPast) this.#pays();
    if (tokens === null) return;
    // Codex counts once for each call of the model, when that is over.
    this.#messages.endGroup();
    // An older ctx has counted the tokens of an earlier file with the sums of a later one.
    const isCounted = this.#resume?.isEarlier === true && !this.#told.counts_own;
    if (isCounted || isInherited || isQuiet) return;
    if (this.#turn.isPast) this.#owed = addTokens(this.#owed, tokens);
    else this.#turn.uses(tokens, true, false);
  }

  /** Counts the tokens that no kept sum includes. */
  #pays(): void {
    const { isQuiet } = this.#outbox;
    if (isNothing(this.#owed)) return;
    this.#outbox.isQuiet = false;
    this.#turn.uses(this.#owed, true, false);
    this.#outbox.isQuiet = isQuiet;
    this.#owed = {};
  }

  end(): TranscriptEvent[] {
    this.#turn.isPast = false;
    this.#pays();
    this.#messages.finishAll(Math.max(this.#at, 0));
    return this.#outbox.take();
  }

  cursor(): JsonValue {
    if (this.#resume?.isEarlier) return JSON.parse(JSON.stringify({ ...this.#told, seq: this.#conversation.seq }));
    const cursor: Cursor = {
      version: 1,
      at: this.#at,
      newest: this.#copies.newest,
      view: this.#view.place,
      ...this.#messages.place,
      seq: this.#conversation.seq,
      state: this.#turn.state,
      speaker: this.#turn.speaker,
      asking: this.#turn.asking,
      calls: callsForCursor(this.#conversation.openCalls),
      told: this.#callRecords.told,
      running: this.#callRecords.running,
      sum: this.#counter.sum,
      is_sum_begun: this.#counter.isBegun,
      counts_own: this.#told.counts_own,
      inherited: this.#inherited.state,
      about: this.#session.known,
    };
    return JSON.parse(JSON.stringify(cursor)) as JsonValue;
  }
}
