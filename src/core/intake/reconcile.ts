/** Decides of every event of a conversation, whatever source gives it, whether it is stored already. */
import type { StoredRecord } from '../records/record.ts';
import { actOf, callOf, type Deeds, hasOutcome, reportOf } from './deeds.ts';
import type { Notes, ToolQuestion } from './notes.ts';
import type { Words } from './words.ts';

/** `new`: nothing of it is stored. `same`: it adds nothing. `completes`: a part of it is stored, and it has the rest. */
export type Verdict = 'new' | 'same' | 'completes';

/** A conversation of an agent: with the agent, it chooses what an event is compared with. */
export interface Conversation {
  agent: string;
  agent_session: string;
}

/**
 * An event with its key: its kind, and the agent's own id or, if the agent gives none, what it is compared by.
 */
export type Event =
  /** A tool's deed, in the record of a hook. @param payloads the object ids of its long texts */
  | { kind: 'deed'; from: 'hook'; record: StoredRecord; payloads: readonly string[] }
  /** The same in a transcript. @param inStoredForm returns it as it would be stored */
  | { kind: 'deed'; from: 'transcript' | 'sub-agent'; body: object; inStoredForm: () => object; at: number }
  /** @param now what is the case now, by which a repetition without an id is recognised */
  | { kind: 'prompt'; from: 'hook'; prompt: Prompt; now?: Moment }
  | { kind: 'prompt'; from: 'transcript'; words: string; at: number }
  /** A prompt of what a transcript has after the end of a session. */
  | { kind: 'prompt'; from: 'rest'; words: string }
  /** A prompt that reaches the agent within a turn. */
  | { kind: 'cut-in'; from: 'transcript'; words: string }
  | { kind: 'move'; from: 'transcript'; at: number }
  | { kind: 'question'; from: 'hook' | 'transcript'; question: ToolQuestion }
  /** The end of a turn that its session could not follow, as a note. */
  | { kind: 'end'; from: 'hook'; note: object };

/** A prompt that a hook has reported: its words in the stored form or a hash of them, and the agent's own id, if it gives one. */
export interface Prompt {
  words: string;
  id: string | null;
}

/** Circumstances in which a prompt is reported. */
interface Moment {
  /** Unix seconds. */
  at: number;
  /** The head of the session of the conversation; null if it has none. */
  head: string | null;
  /** The id of the latest pending record, or one that a record would have got; ids are ordered by time. */
  latest: string;
  /** True if the turn before was cut off since. */
  isCut?: boolean;
}

/** The last prompt of a conversation, and what was the case when it was recorded. */
export interface LastPrompt extends Prompt, Moment {}

/** Stored part of a conversation, as far as an event needs it: nothing of a part that is absent. */
export interface Stored {
  deeds?: Deeds;
  words?: Words;
  /** The user's words in the current turn. */
  turnWords?: Words;
  notes?: Notes;
  lastPrompt?: LastPrompt | null;
  /** The prompts that wait to be followed. */
  missedPrompts?: readonly (Prompt & { isLatest: boolean })[];
  /** The record before the event. */
  before?: StoredRecord | undefined;
}

type EventOf<Kind extends Event['kind'], From extends Event['from']> = Extract<Event, { kind: Kind }> & { from: From };

/** A row of the table. */
interface Case {
  kind: Event['kind'];
  from: Event['from'];
  knows: (stored: Stored, event: Event) => boolean;
  verdict: Verdict;
}

const row = <Kind extends Event['kind'], From extends Extract<Event, { kind: Kind }>['from']>(
  kind: Kind,
  from: From,
  verdict: Verdict,
  knows: (stored: Stored, event: EventOf<Kind, From>) => boolean,
): Case => ({ kind, from, verdict, knows: knows as unknown as Case['knows'] });

/** The cases: the first row of an event's kind and source that knows the event decides. */
const CASES: readonly Case[] = [
  // A hook is in two settings files.
  row('deed', 'hook', 'same', ({ deeds }, { record, payloads }) => {
    const report = `${reportOf(record)} ${payloads}`;
    const pending = deeds?.ofCall(callOf(record)).filter(({ place }) => place === 'pending') ?? [];
    return pending.some((one) => `${reportOf(one.record)} ${one.payloads}` === report);
  }),
  // The same, and the session was flushed between the two reports; the exit code may be known from elsewhere, or not yet.
  row('deed', 'hook', 'same', ({ deeds }, { record }) => {
    const report = reportOf({ ...record, exit_code: null } as StoredRecord);
    const isUnique = isUniqueCall(callOf(record));
    const flushed = deeds?.ofCall(callOf(record)).filter(({ place, isHooks }) => place !== 'pending' && isHooks) ?? [];
    return flushed.some(
      (one) =>
        (one.place === 'turn' || isUnique) && reportOf({ ...one.record, exit_code: null } as StoredRecord) === report,
    );
  }),
  // The transcript was read before the hook ran. Agents of some models number their calls in each turn from the beginning.
  row('deed', 'hook', 'same', ({ deeds }, { record }) => {
    const stored = deeds?.ofCall(callOf(record)).filter(({ isHooks }) => !isHooks) ?? [];
    const isUnique = isUniqueCall(callOf(record));
    return stored.some((one) => (one.place === 'turn' || isUnique) && actOf(one.record) === actOf(record));
  }),
  // The same without an id. What is taken for another deed by mistake, the transcript brings again.
  row('deed', 'hook', 'same', ({ deeds }, { record }) => idOf(record) === null && deeds?.hasLike(record) === true),
  // Codex passes no exit codes to its hooks.
  row('deed', 'transcript', 'completes', ({ deeds }, { body }) => {
    const reports = deeds?.ofCall(idOf(body)).filter(({ isHooks }) => isHooks) ?? [];
    return hasExitCode(body) && reports.some(({ record, place }) => place === 'pending' && !hasOutcome(record));
  }),
  row('deed', 'transcript', 'same', ({ deeds }, { body }) =>
    Boolean(deeds?.ofCall(idOf(body)).some(({ isHooks }) => isHooks)),
  ),
  // Some agents pass no ids to their hooks.
  row('deed', 'transcript', 'same', ({ deeds }, { body, inStoredForm, at }) =>
    takesUnnamed(deeds, body, inStoredForm, at),
  ),
  // The hooks of a sub-agent report to its caller.
  row('deed', 'sub-agent', 'same', ({ deeds }, { body }) => {
    const reports = deeds?.ofCall(idOf(body)) ?? [];
    return reports.length > 0 && (!hasExitCode(body) || reports.every(({ record }) => hasOutcome(record)));
  }),
  row('deed', 'sub-agent', 'same', ({ deeds }, { body, inStoredForm, at }) =>
    deeds?.ofCall(idOf(body)).length === 0 ? takesUnnamed(deeds, body, inStoredForm, at) : false,
  ),
  row('prompt', 'hook', 'same', ({ lastPrompt }, { prompt }) => prompt.id !== null && isSamePrompt(lastPrompt, prompt)),
  // Without an id: two hooks of one event run at once, and nothing happens between them.
  row('prompt', 'hook', 'same', ({ lastPrompt: last }, { prompt, now }) => {
    if (!last || !now || now.isCut || !isSamePrompt(last, prompt)) return false;
    return Math.abs(now.at - last.at) <= AT_ONCE && now.head === last.head && now.latest <= last.latest;
  }),
  // The store was busy when it was first reported.
  row('prompt', 'hook', 'same', ({ missedPrompts = [] }, { prompt }) =>
    missedPrompts.some((one) => isSamePrompt(one, prompt) && (prompt.id !== null || one.isLatest)),
  ),
  row('prompt', 'transcript', 'same', ({ words }, event) => words?.take(event.words) === true),
  row('prompt', 'transcript', 'same', ({ words }, { at }) => words?.covers(at) === true),
  row('prompt', 'rest', 'same', ({ words }, event) => words?.has(event.words) === true),
  row('move', 'transcript', 'same', ({ words }, { at }) => words?.covers(at) === true),
  row('cut-in', 'transcript', 'same', ({ turnWords }, event) => turnWords?.has(event.words) === true),
  row('question', 'hook', 'same', ({ notes }, { question }) => isNoted(notes?.partOf(question, false), question)),
  row('question', 'hook', 'completes', ({ notes }, { question }) => notes?.partOf(question, false) === 'question'),
  row('question', 'transcript', 'same', ({ notes }, { question }) => isNoted(notes?.partOf(question, true), question)),
  row('question', 'transcript', 'same', ({ notes }, { question }) => notes?.takeUnnamed(question) === true),
  // A hook of another program lets a turn end twice.
  row(
    'end',
    'hook',
    'same',
    ({ before }, { note }) =>
      Reflect.get(note, 'missed') === 'turn_end' &&
      Object.entries(note).every(([key, value]) => before?.[key] === value),
  ),
];

/** Returns whether an event is stored already. An event that is the same as a stored one without an id uses that one up. */
export function reconcile(stored: Stored, event: Event): Verdict {
  for (const { kind, from, knows, verdict } of CASES)
    if (kind === event.kind && from === event.from && knows(stored, event)) return verdict;
  return 'new';
}

/** Time within which two hooks of one event end, in seconds: nobody repeats a prompt so soon. */
const AT_ONCE = 5;

const isSamePrompt = (one: Prompt | null | undefined, { words, id }: Prompt): boolean =>
  one?.words === words && one.id === id;

const isNoted = (part: string | undefined, { answer }: ToolQuestion): boolean =>
  part === 'answer' || (part === 'question' && answer === null);

/** An id with enough randomness to be unique, as `toolu_01…`, `call_…` and UUIDs are. */
const UNIQUE = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i;

/** Returns whether the id of a call is unique, and not one that another turn may give again. */
export const isUniqueCall = (call: string | null): boolean => call !== null && UNIQUE.test(call);

const idOf = (body: object): string | null => {
  const { tool_call_id: id } = body as { tool_call_id?: unknown };
  return typeof id === 'string' ? id : null;
};

const hasExitCode = (body: object): boolean => typeof (body as { exit_code?: unknown }).exit_code === 'number';

const takesUnnamed = (deeds: Deeds | undefined, body: object, inStoredForm: () => object, at: number): boolean =>
  deeds !== undefined && idOf(body) !== null && !deeds.unnamed.isEmpty && deeds.unnamed.take(inStoredForm(), at);
