/** Putting every text of a JSON value through a function: all but the names that ctx itself gives, where it gives them. */
import { isStub, type Stub } from './externalise.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Where a value stands: which of its keys hold names of ctx's own, and what its values are. */
interface Place {
  readonly names: ReadonlySet<string>;
  /** Places of values, by key; of those in a list too. Anything else is `other`. */
  readonly inside: Readonly<Record<string, Place>>;
  readonly other: Place | null;
  /** Whether keys that are plain words are ctx's, or the agent's format's, and stay. */
  readonly keepsWords: boolean;
}

const place = (names: readonly string[], inside: Record<string, Place> = {}): Place => ({
  names: new Set(names),
  inside,
  other: PLAIN,
  keepsWords: true,
});

/** Fields that nothing of ctx's depends on. */
const PLAIN: Place = { names: new Set(), inside: {}, other: null, keepsWords: true };
/** What a tool took or gave: all of it may be anybody's words. */
const ANYBODYS: Place = { ...PLAIN, keepsWords: false };

const STATE = place(['kind']);
const PART = place(['type', 'state'], { input: ANYBODYS, output: ANYBODYS, data: ANYBODYS });
const OWN_NAMES = ['id', 'kind', 'blob', 'sha256', 'by', 'session_id', 'base', 'message_id', 'part_id'];
const WORDS = ['version', 'role', 'op', 'was', 'confidence'];
/** A record, a session, a source or a state as a whole. */
const DOCUMENT = place([...OWN_NAMES, ...WORDS], {
  message: place(['id', 'role'], { parts: PART }),
  part: PART,
  from: STATE,
  to: STATE,
  session_state: STATE,
  ended: place([], { type: STATE }),
  sources: place(['agent']),
});
/** A source alone. */
const SOURCE = place(['agent']);

/** Keys whose values are names that ctx itself gives or depends on. */
export const NAMES = [...OWN_NAMES, 'payload', 'encoding'];

/** A key that is a plain word is a name too, unless it is anybody's. */
const WORD = /^[A-Za-z_]{1,40}$/;

/**
 * A value with every text in it, keys too, put through a function; the same value where nothing changes.
 * @param value a document of ctx's, or a text
 * @param stub what becomes of a stub; without it what looks like one is taken as any other object
 */
export const mapTexts = (
  value: JsonValue,
  text: (text: string) => string,
  stub: ((stub: Stub) => JsonValue) | null = null,
): JsonValue => mapAt(value, isSource(value) ? SOURCE : DOCUMENT, text, stub);

/** The same for a value that is nobody's document: nothing in it is a name of ctx's. */
export const mapAnybodys = (value: JsonValue, text: (text: string) => string): JsonValue =>
  mapAt(value, ANYBODYS, text, null);

const isSource = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'agent_session_id' in value;

function mapAt(
  value: JsonValue,
  where: Place,
  text: (text: string) => string,
  stub: ((stub: Stub) => JsonValue) | null,
): JsonValue {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapAt(item, where, text, stub));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (stub && isStub(value)) return stub(value);
  let same = true;
  const entries = Object.entries(value as JsonObject).map(([key, item]): [string, JsonValue | undefined] => {
    const nextKey = where.keepsWords && WORD.test(key) ? key : text(key);
    const kept = item === undefined || (typeof item === 'string' && where.names.has(key));
    const inside = Object.hasOwn(where.inside, key) ? where.inside[key] : where.other;
    const next = kept ? item : mapAt(item, inside ?? where, text, stub);
    same &&= nextKey === key && next === item;
    return [nextKey, next];
  });
  return same ? value : Object.fromEntries(entries);
}
