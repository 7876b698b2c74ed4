/** Declares which fields of ctx's documents are structure: names, ids and words of ctx's own, which no search for texts may touch. */
import type { JsonValue } from './json.ts';
import { lazily } from './lazily.ts';

/** The place of a value in a document: what of the value is structure. */
export interface Place {
  /** Keys whose values are structure if they have this form. */
  readonly own: ReadonlyMap<string, RegExp>;
  /** Places of values, by key; for a list, of each of its items. The place of any other value is `other`; without one, the same place. */
  readonly inside: ReadonlyMap<string, Place>;
  readonly other: Place | null;
  /** True if keys that are plain words stay, because they are those of ctx or of the agent's format. */
  readonly keepsWords: boolean;
}

/** The place of what tools took or gave, and of anything else that may be anybody's words as a whole. */
export const ANYBODYS: Place = { own: new Map(), inside: new Map(), other: null, keepsWords: false };
/** The place of fields on which nothing of ctx depends. */
const PLAIN: Place = { ...ANYBODYS, keepsWords: true };

/** Makes the place of an object. @param own forms of the values that are structure, by key */
export const place = (own: Record<string, RegExp>, inside: Record<string, Place> = {}, other = PLAIN): Place => ({
  own: new Map(Object.entries(own)),
  inside: new Map(Object.entries(inside)),
  other,
  keepsWords: true,
});

/** The form of an id that another program gave, on which resuming depends: nothing is known of it. */
export const ID = /^/;
/**
 * The form of a word from a list that ctx or an agent's format has. No vendor issues a secret of letters alone that is as short: one of
 * Hugging Face has 34.
 */
export const WORD = /^[A-Za-z_-]{1,32}$/;
/** The form of the name of a kind, of other programs too: words, and a number behind them. */
const KIND = /^[A-Za-z_.:/-]{1,32}[0-9]{0,3}$/;
/** A key that is a plain word. */
const PLAIN_KEY = /^[A-Za-z_]{1,32}$/;
export const OBJECT_ID = /^[0-9a-f]{40}$/;
export const SHA256 = /^[0-9a-f]{64}$/;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The form of an end of an edge that ctx itself drew. */
export const NODE = new RegExp(`^(?:task|note):${UUID}$`);

/** The place of a state of a session, and of a type of commits. */
export const STATE = lazily(() => place({ kind: WORD }));
/** The place of a part of a message. */
export const PART = lazily(() =>
  place({ type: WORD, state: WORD, toolCallId: ID }, { input: ANYBODYS, output: ANYBODYS, data: ANYBODYS }),
);

/** Fields of every record, of any kind. */
const ENVELOPE = { id: ID, kind: KIND };
/** Makes the place of a record of a known kind. */
export const recordPlace = (own: Record<string, RegExp> = {}, inside: Record<string, Place> = {}): Place =>
  place({ ...ENVELOPE, ...own }, inside);
/** The place of a record that has no more structure than every record. */
export const BARE = lazily(() => recordPlace());
/** The place of a record of a kind that this version does not know; of a state or a type of commits alone. */
export const OTHER = lazily(() => place(ENVELOPE, {}, ANYBODYS));

/** Checks if a key stays as it is. */
export const keepsKey = ({ own, inside, keepsWords }: Place, key: string): boolean =>
  own.has(key) || inside.has(key) || (keepsWords && PLAIN_KEY.test(key));

/** Checks if the value at a key stays as it is: a text, or all texts of a list. */
export function keepsValue({ own }: Place, key: string, value: JsonValue | undefined): boolean {
  const form = own.get(key);
  if (form === undefined) return false;
  const texts = Array.isArray(value) ? value : [value];
  return texts.every((text) => typeof text === 'string' && form.test(text));
}

/** Returns the place of the value at a key. */
export const placeAt = (of: Place, key: string): Place => of.inside.get(key) ?? of.other ?? of;

/** Keys whose values are names that ctx itself gives or depends on. */
export const NAMES = [
  ...['id', 'kind', 'blob', 'sha256', 'by', 'session_id', 'base', 'message_id', 'part_id'],
  ...['payload', 'encoding'],
];
