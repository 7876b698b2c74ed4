/** Which fields of ctx's documents are structure: names, ids and words of ctx's own, which nothing that looks for texts may touch. */
import type { JsonValue } from './json.ts';
import { isObject } from './json.ts';
import { lazily } from './lazily.ts';

/** Where a value stands: what of it is structure. */
export interface Place {
  /** Keys with values that are structure, where they have this form. */
  readonly own: ReadonlyMap<string, RegExp>;
  /** Places of values, by key; of those in a list too. Anything else is `other`, or where there is none, the same place. */
  readonly inside: ReadonlyMap<string, Place>;
  readonly other: Place | null;
  /** Whether keys that are plain words are ctx's, or the agent's format's, and stay. */
  readonly keepsWords: boolean;
}

/** What tools took or gave, and whatever else may be anybody's words as a whole. */
export const ANYBODYS: Place = { own: new Map(), inside: new Map(), other: null, keepsWords: false };
/** Fields that nothing of ctx's depends on. */
const PLAIN: Place = { ...ANYBODYS, keepsWords: true };

const place = (own: Record<string, RegExp>, inside: Record<string, Place> = {}, other = PLAIN): Place => ({
  own: new Map(Object.entries(own)),
  inside: new Map(Object.entries(inside)),
  other,
  keepsWords: true,
});

/** Of an id that another program gave, of which resuming depends, nothing is known. */
const ID = /^/;
/** A word of a list that ctx or an agent's format has. No maker gives out a secret of letters alone that is as short: one of Hugging Face has 34. */
const WORD = /^[A-Za-z_-]{1,32}$/;
/** What somebody else calls their records: words, and a number behind them. */
const KIND = /^[A-Za-z_.:/-]{1,32}[0-9]{0,3}$/;
/** A key that is a plain word. */
const PLAIN_KEY = /^[A-Za-z_]{1,32}$/;
const OBJECT_ID = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** An end of an edge that ctx itself drew. */
const NODE = new RegExp(`^(?:task|note):${UUID}$`);

const STATE = lazily(() => place({ kind: WORD }));
const PART = lazily(() =>
  place({ type: WORD, state: WORD, toolCallId: ID }, { input: ANYBODYS, output: ANYBODYS, data: ANYBODYS }),
);
const MESSAGE = lazily(() => place({ id: ID, role: WORD }, { parts: PART(), metadata: place({ parent_id: ID }) }));

/** What every record has, whatever its kind. */
const ENVELOPE = { id: ID, kind: KIND };
const record = (own: Record<string, RegExp> = {}, inside: Record<string, Place> = {}): Place =>
  place({ ...ENVELOPE, ...own }, inside);
const BARE = lazily(() => record());
const FILE = lazily(() => record({ blob: OBJECT_ID, sha256: SHA256 }));

const RECORDS: ReadonlyMap<string, () => Place> = new Map(
  Object.entries({
    task: BARE,
    note: lazily(() => record({ role: WORD })),
    plan: BARE,
    read: FILE,
    write: FILE,
    delete: FILE,
    command: BARE,
    relation: lazily(() => record({ from: NODE, label: WORD, to: NODE, confidence: WORD })),
    message: lazily(() => record({}, { message: MESSAGE() })),
    part: lazily(() => record({ message_id: ID, part_id: ID }, { part: PART() })),
    overlay: lazily(() => record({ op: WORD, ids: ID }, { range: place({ from: ID, to: ID }) })),
    transition: lazily(() => record({ by: WORD }, { from: STATE(), to: STATE() })),
    usage: BARE,
    permission: BARE,
    raw: lazily(() => record({ agent: WORD, type: WORD, key: ID, repeats: ID })),
    choice: lazily(() => record({ choice: WORD })),
    forgotten: lazily(() => record({ was: WORD })),
  }),
);
/** A record of a kind that this version does not know; a state or a type of commits alone. */
const OTHER = lazily(() => place(ENVELOPE, {}, ANYBODYS));

const SOURCE = lazily(() => place({ agent: WORD, sha256: SHA256 }, { other_files: place({ sha256: SHA256 }) }));
const HAPPENING = lazily(() => place({ what: WORD, call_id: ID }));
const SESSION = lazily(() =>
  place(
    { session_id: ID, base: OBJECT_ID, continues: ID, parent_session_id: ID },
    {
      session_state: STATE(),
      ended: place({}, { type: STATE() }),
      sources: SOURCE(),
      squashed: place({ head: OBJECT_ID }),
    },
  ),
);

/** What is structure in a document: a record, what a transcript was read to, what a hook tells, or a session or a part of one. */
export function placeOf(value: JsonValue): Place {
  if (!isObject(value)) return SESSION();
  if (typeof value.kind === 'string') return (RECORDS.get(value.kind) ?? OTHER)();
  if ('agent_session_id' in value) return SOURCE();
  return 'what' in value ? HAPPENING() : SESSION();
}

/** Whether a key stays as it is. */
export const keepsKey = ({ own, inside, keepsWords }: Place, key: string): boolean =>
  own.has(key) || inside.has(key) || (keepsWords && PLAIN_KEY.test(key));

/** Whether what stands at a key stays as it is: a text, or all texts of a list. */
export function keepsValue({ own }: Place, key: string, value: JsonValue | undefined): boolean {
  const form = own.get(key);
  if (form === undefined) return false;
  const texts = Array.isArray(value) ? value : [value];
  return texts.every((text) => typeof text === 'string' && form.test(text));
}

/** The place of what stands at a key. */
export const placeAt = (where: Place, key: string): Place => where.inside.get(key) ?? where.other ?? where;

/** Keys whose values are names that ctx itself gives or depends on. */
export const NAMES = [
  ...['id', 'kind', 'blob', 'sha256', 'by', 'session_id', 'base', 'message_id', 'part_id'],
  ...['payload', 'encoding'],
];
