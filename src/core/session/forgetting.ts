/** Removes what is forgotten from texts, records and sessions. */
import { commitTypeNamed, type StoredCommitType } from '../commit-types/table.ts';
import { isStub, type Stub } from '../externalise.ts';
import { withoutWhole } from '../forgotten.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { isKind, RECORD_VERSION, type StoredRecord } from '../records/record.ts';
import { MOVES, type SessionState } from '../state.ts';
import { type Finder, literalFinder, replaceText } from '../stretches.ts';
import { NAMES } from '../structure.ts';
import { mapTexts } from './map-texts.ts';
import type { Ending, Session, Source } from './session.ts';

/** Replaces a text of which nothing may be kept. */
export const FORGOTTEN = '[forgotten]';

/** Things to forget. */
export interface Forgetting {
  /** When, in Unix seconds. */
  readonly at: number;
  /** Texts that are forgotten in every place, each with its marker. */
  readonly texts: ReadonlyMap<string, string>;
  /** Strings that are forgotten if they are a whole text, each without the blanks around it, with its marker. */
  readonly wholes: ReadonlyMap<string, string>;
  /** Ids of records. */
  readonly records: ReadonlySet<string>;
  /** Texts of those records by session: they go from its task and its states, however short they are. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ids of sessions. */
  readonly sessions: ReadonlySet<string>;
  /** Tasks that are forgotten: the session that gave way to such a task names it. */
  readonly tasks: ReadonlySet<string>;
  /** Conversations of the sessions that go: another session that was made of one remembers the last words it has read there. */
  readonly conversations: ReadonlySet<string>;
  /** Object ids of contents. */
  readonly contents: ReadonlySet<string>;
}

/** A forgetting of nothing yet. */
export const forgettingOf = (at: number, more: Partial<Forgetting>): Forgetting => ({
  at,
  texts: new Map(),
  wholes: new Map(),
  records: new Set(),
  told: new Map(),
  sessions: new Set(),
  tasks: new Set(),
  conversations: new Set(),
  contents: new Set(),
  ...more,
});

/** Puts markers in the place of what is forgotten. */
export interface Cleaner {
  readonly finder: Finder;
  readonly text: (text: string) => string;
  /** The marker of a content that goes as a whole, or null. */
  readonly whole: (content: Buffer) => string | null;
}

/** Longest content that is compared with the strings that go as a whole is this much longer than the longest, in bytes. */
const BLANKS_AROUND = 1024;

export function cleanerOf({ texts, wholes }: Pick<Forgetting, 'texts' | 'wholes'>): Cleaner {
  const finder = literalFinder(texts);
  const sizes = [...wholes.keys()].map((whole) => Buffer.byteLength(whole));
  const shortest = Math.min(...sizes);
  const longest = Math.max(0, ...sizes) + BLANKS_AROUND;
  return {
    finder,
    text: (text) => {
      const now = wholes.size > 0 ? withoutWhole(text, (plain) => wholes.get(plain)) : text;
      return texts.size > 0 ? replaceText(now, finder) : now;
    },
    whole: (content) => {
      if (content.length < shortest || content.length > longest) return null;
      return wholes.get(content.toString('utf8').trim()) ?? null;
    },
  };
}

const TEXTS_OF_STATES = ['question', 'summary', 'user_message', 'reason'];

/** A state with what is known of one alone. @param words what becomes of each of its texts */
function bareState(state: SessionState, words = (_text: JsonValue): JsonValue => FORGOTTEN): SessionState {
  if (!isObject(state)) return { kind: 'Running' };
  const entries = Object.entries(state)
    .filter(([key]) => ['kind', 'asked_at', ...TEXTS_OF_STATES].includes(key))
    .map(([key, value]) => [key, TEXTS_OF_STATES.includes(key) ? words(value as JsonValue) : value]);
  return Object.fromEntries(entries) as SessionState;
}

/** Returns a text of a state that was cleaned; a long text has become short enough for its preview. */
const cleanedText = (text: JsonValue): JsonValue =>
  isStub(text) ? (Buffer.byteLength(text.preview) === text.bytes ? text.preview : FORGOTTEN) : text;

/**
 * Returns the remains of a record that is forgotten: that there was one, and the states that a move was between.
 * @param record cleaned already, so that its states say what the session says of them
 */
function tombstoneOf(record: StoredRecord, at: number): StoredRecord {
  const { id, kind, at: told } = record;
  const head = { version: RECORD_VERSION, id, kind, at: told };
  if (kind === 'forgotten') return record;
  if (isKind(record, 'transition') && isObject(record.from) && isObject(record.to)) {
    const [from, to] = [bareState(record.from, cleanedText), bareState(record.to, cleanedText)];
    return { ...head, from, to, by: record.by, forgotten_at: at };
  }
  return { ...head, kind: 'forgotten', was: kind, forgotten_at: at };
}

/** Keys of records below which there are no words. */
const WORDLESS = [
  'version',
  'at',
  'role',
  'label',
  'confidence',
  'op',
  'type',
  'state',
  'toolName',
  'toolCallId',
  'was',
];
const SILENT = new Set([...NAMES, ...WORDLESS, 'mediaType', 'metadata', 'redacted', 'exit_code', 'ids', 'range']);
/** A key whose value says where something lies, or which one it is: that is no text of the record. */
const POINTING = /(^|_|[a-z])(path|file|filename|dir|directory|folder|cwd|root|id|uuid|slug|branch|version)$/i;
/** A key whose value somebody said. */
const SPOKEN = ['content', 'text', 'question', 'summary', 'user_message', 'reason'];
/** A node of the graph that names something else. */
const NODE = /^(task|note|file):/;

/** The words that ctx puts before a text of the user's. */
const PREFIXES = MOVES.flatMap((move) => (move.note ? [move.note.content('')] : [])).filter((text) =>
  text.endsWith(': '),
);
/** Words of a move without words of its own. */
const STANDING = MOVES.flatMap((move) => (move.note?.always ? [move.note.content('')] : []));

/** Returns every text of a record, long texts whole if they can be read; whether somebody said it, or a tool took or gave it. */
export function textsOfRecord(record: StoredRecord): Map<string, 'said' | 'used'> {
  const texts = new Map<string, 'said' | 'used'>();
  const add = (text: string, how: 'said' | 'used'): void => {
    const plain = text.trim();
    if (plain === '' || STANDING.includes(plain) || (how === 'used' && NODE.test(plain))) return;
    if (texts.get(plain) !== 'said') texts.set(plain, how);
    const prefix = PREFIXES.find((words) => plain.startsWith(words));
    if (prefix && plain.length > prefix.length) add(plain.slice(prefix.length), how);
  };
  const take = (item: JsonValue | undefined, key: string, depth: number, isTool: boolean): void => {
    if (Array.isArray(item)) for (const one of item) take(one, key, depth + 1, isTool);
    else if (isObject(item)) visit(item, depth + 1, isTool || record.kind === 'raw' || item.type === 'dynamic-tool');
    // Of what lies at a key that points somewhere, only what is no text says more: agents put a whole file there.
    else if (typeof item === 'string' && !POINTING.test(key)) {
      const isRaising = record.kind === 'choice' && key === 'message';
      const said = !isTool && (SPOKEN.includes(key) || isRaising);
      // A word alone among what a tool took is a name more often than not.
      if (said || depth === 0 || /\s/.test(item.trim())) add(item, said ? 'said' : 'used');
    }
  };
  const visit = (value: JsonObject, depth: number, isTool: boolean): void => {
    for (const [key, item] of Object.entries(value)) if (!SILENT.has(key)) take(item, key, depth, isTool);
  };
  visit(record as unknown as JsonObject, 0, record.kind === 'raw');
  return texts;
}

/** Cleans a text of a session itself, which is forgotten if a record had it: alone, or behind words of ctx. */
function withoutTold(text: string, told: ReadonlySet<string>): string {
  const plain = text.trim();
  if (told.has(plain)) return FORGOTTEN;
  const tail = [...told].find((one) => plain.endsWith(`: ${one}`));
  return tail === undefined ? text : plain.slice(0, plain.length - tail.length) + FORGOTTEN;
}

/** A conversation of an agent's as `conversations` name it. */
export const conversationOf = ({ agent, agent_session_id }: Source): string => `${agent}\0${agent_session_id}`;

/** Checks if a message is what a task was made of: an answer that says more than which option it picks is put behind it. */
export function begins(message: string, task: string): boolean {
  const [words, whole] = [message.trim(), task.trim()];
  return words !== '' && whole.startsWith(words) && /^(\s*\n\n|$)/.test(whole.slice(words.length));
}

/** Checks if a question that waits in a session was raised by something that goes. */
export const isRaisedByIt = ({ told, tasks }: Forgetting, session: string, raised: string): boolean =>
  told.get(session)?.has(raised.trim()) === true || [...tasks].some((task) => begins(raised, task));

const NOTHING: ReadonlySet<string> = new Set();

/** Returns a session without everything that is forgotten; the same one if nothing of it is. */
export function cleanSession(session: Session, forgetting: Forgetting, text: (text: string) => string): Session {
  const next = mapTexts(session as unknown as JsonValue, text) as unknown as Session;
  const own = forgetting.told.get(session.session_id) ?? NOTHING;
  const spoken = (words: string): string => withoutTold(words, own);
  const { title, renamed, paused, ended, sources } = next;
  const cleaned = sources.map((source) => cleanSource(source, forgetting));
  return withChanges(next, {
    task_description: spoken(next.task_description),
    session_state: mapTexts(next.session_state as unknown as JsonValue, spoken) as unknown as SessionState,
    sources: cleaned.every((source, at) => source === sources[at]) ? sources : cleaned,
    ...(typeof title === 'string' ? { title: spoken(title) } : {}),
    ...(typeof renamed === 'string' ? { renamed: spoken(renamed) } : {}),
    ...(paused?.summary === undefined ? {} : { paused: withChanges(paused, { summary: spoken(paused.summary) }) }),
    ...(ended ? { ended: cleanEnding(ended, forgetting.tasks, spoken) } : {}),
  });
}

/** A value with some keys changed; the same one if each says what it said before. */
const withChanges = <Value extends object>(value: Value, changes: Partial<Value>): Value =>
  Object.entries(changes).every(([key, item]) => value[key as keyof Value] === item) ? value : { ...value, ...changes };

/** Returns a commit type with each of its texts changed; the same one if none was. */
const withTexts = (type: StoredCommitType, change: (text: string) => string): StoredCommitType =>
  (commitTypeNamed(type.kind)?.withTexts(type, change) ?? type) as StoredCommitType;

function cleanEnding(ended: Ending, tasks: ReadonlySet<string>, spoken: (words: string) => string): Ending {
  const type = withTexts(ended.type, (text) => (tasks.has(text.trim()) ? FORGOTTEN : spoken(text)));
  return withChanges(ended, { message: spoken(ended.message), type });
}

/**
 * Cleans a conversation that two sessions were made of: the later session continues at the place up to which the earlier session has
 * read, with the same words in mind. After a forgotten session it is never continued; else only words that a record had are removed.
 */
function cleanSource(source: Source, { conversations, told }: Forgetting): Source {
  if (conversations.has(conversationOf(source))) return withChanges(source, { cursor: null });
  const texts = [...told.values()];
  const spoken = (words: string): string => (texts.some((some) => some.has(words.trim())) ? FORGOTTEN : words);
  return withChanges(source, { cursor: mapTexts(source.cursor, spoken) });
}

/** Returns the ending of a session that is removed: its kind, and nobody's words. */
export function bareEnding({ type, at, files_changed }: Ending): Ending {
  return { type: withTexts(type, () => FORGOTTEN), message: FORGOTTEN, at, files_changed };
}

/** A record as it is when everything that goes has gone from it, but for what lies in payloads. */
export function cleanRecord(
  record: StoredRecord,
  session: string,
  forgetting: Forgetting,
  text: (text: string) => string,
  stub: (stub: Stub) => JsonValue,
): StoredRecord {
  const next = mapTexts(record as unknown as JsonValue, text, stub) as unknown as StoredRecord;
  const clean = isKind(next, 'transition') ? withoutToldStates(next, forgetting.told.get(session)) : next;
  return forgetting.records.has(record.id) ? tombstoneOf(clean, forgetting.at) : clean;
}

function withoutToldStates(move: StoredRecord, told: ReadonlySet<string> | undefined): StoredRecord {
  if (!told) return move;
  const spoken = (words: string): string => withoutTold(words, told);
  const from = mapTexts(move.from as JsonValue, spoken);
  const to = mapTexts(move.to as JsonValue, spoken);
  return from === move.from && to === move.to ? move : { ...move, from, to };
}

/** Returns the remains of a session that is forgotten. */
export function bareSession(session: Session, base: string, at: number): Session {
  const { version, session_id, step, started_at, last_activity, counts, agent } = session;
  return {
    version,
    session_id,
    task_description: FORGOTTEN,
    session_state: bareState(session.session_state),
    base,
    step,
    started_at,
    last_activity,
    counts,
    agent,
    sources: [],
    forgotten_at: at,
  };
}

/** summary.md of a session that is forgotten as a whole; its notes.jsonl and edges.jsonl are empty. */
export const FORGOTTEN_SUMMARY = `# ${FORGOTTEN}\n\nThis session was forgotten.\n`;

/** Returns what replaces a content that was forgotten. */
export const contentTombstone = (at: number): string =>
  `This content was forgotten on ${new Date(at * 1000).toISOString().slice(0, 10)}.\n`;
