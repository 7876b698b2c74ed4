/** A session as of one step: how it opens, how records change it, and how session.json is read on the hot path. */
import type { StoredCommitType } from '../commit-types/commit-type.ts';
import { addCounts, isCount } from '../counts.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isObject } from '../json.ts';
import type { TokenUsage } from '../message.ts';
import { isKind, kindTold, type StoredRecord } from '../records/record.ts';
import { hasEnded, type SessionState, STATE_KINDS } from '../state.ts';

/** How far a transcript of an agent has been read. */
export interface ReadFile {
  /** Where the transcript lay when it was last read. */
  transcript: string;
  /** Byte offset up to which it has been read, and the number of lines before it. */
  offset: number;
  lines: number;
  /** SHA-256 of those bytes, hexadecimal. */
  sha256: string;
  /** Where the bytes that the hash covers begin, where it does not cover all: a hook looks at no more than the last of them. */
  hash_from?: number | undefined;
  /** When the file went on with what stands in another, as the agent spells it; absent where it does not. */
  continued_at?: string | undefined;
}

/** A conversation of an agent's that a session was made of, and how far the latest of its files was read. */
export interface Source extends ReadFile {
  /** Name of the agent whose transcript it is. */
  agent: string;
  /** The agent's own id of the session. */
  agent_session_id: string;
  /** What the reader needs to go on from there; the agent's own business. */
  cursor: JsonValue;
  /** Stands for the first line of its file, where nothing but the name of that tells of which conversation it is. */
  first_line?: string | undefined;
  /** When somebody else than the transcript had moved the session last, when that was ingested; Unix seconds. Absent where hooks read it. */
  moved_before?: number | undefined;
  /** The files before it that were read, of a conversation that lies in several. */
  other_files?: ReadFile[] | undefined;
  /** Number of the step before the one that last read it to its end, 0 for none; absent unless it was too much to be read at once since. */
  whole_after?: number | undefined;
  /** Present where the session has read nothing yet, and the one that it continues may not have read all of its own part. */
  behind?: true | undefined;
}

/** How many of what a session holds; `files` counts distinct paths. */
export interface Counts {
  records: number;
  notes: number;
  plans: number;
  commands: number;
  relations: number;
  messages: number;
  files: number;
}

/** How a session ended; in the session.json of a canonical commit only. */
export interface Ending {
  type: StoredCommitType;
  /** The message, exactly as it was given. */
  message: string;
  /** Unix seconds. */
  at: number;
  /** Distinct paths that the session wrote or deleted. */
  files_changed: number;
  /** The version of the renderer that has written summary.md; absent for 1. */
  summary_version?: number | undefined;
}

/** The content of session.json. What is unknown in it is kept from step to step. Times are Unix seconds. */
export interface Session {
  version: 1;
  session_id: string;
  task_description: string;
  session_state: SessionState;
  /** Canonical head at the time of the first step. */
  base: string;
  /** Number of this step, from 1. */
  step: number;
  started_at: number;
  last_activity: number;
  counts: Counts;
  agent: string | null;
  sources: Source[];
  model?: string | undefined;
  title?: string | undefined;
  usage?: TokenUsage | undefined;
  /** How many secrets were taken out of its records, by rule; absent where none was. */
  redacted?: Record<string, number> | undefined;
  /** The session whose transcript this one goes on with, after that one was compacted. */
  continues?: string | undefined;
  /** The session that started this one as a sub-agent, or of which it is a copy; absent where the store does not know it. */
  parent_session_id?: string | undefined;
  ended?: Ending | undefined;
  /** When all that it told was forgotten, in Unix seconds; absent where anything was recorded since. */
  forgotten_at?: number | undefined;
  [key: string]: unknown;
}

export type { TokenUsage };

/** The version of session.json that this ctx writes, and the newest it reads. */
export const SESSION_VERSION = 1;

const NO_COUNTS: Counts = { records: 0, notes: 0, plans: 0, commands: 0, relations: 0, messages: 0, files: 0 };
const COUNTED: Record<string, keyof Counts> = {
  note: 'notes',
  plan: 'plans',
  command: 'commands',
  relation: 'relations',
  message: 'messages',
};

/** A session before its first step: step 0, nothing in it yet. */
export function newSession(id: string, task: string, agent: string | null, base: string, at: number): Session {
  return {
    version: SESSION_VERSION,
    session_id: id,
    task_description: task,
    session_state: { kind: 'Running' },
    base,
    step: 0,
    started_at: at,
    last_activity: at,
    counts: { ...NO_COUNTS },
    agent,
    sources: [],
  };
}

/**
 * The session after one more step: a fold of the step's records over the session before it.
 * @param newPaths how many paths of the step no earlier step knew
 */
export function foldStep(session: Session, records: readonly StoredRecord[], newPaths: number): Session {
  // What was forgotten as a whole is so no more: there is something in it again, to be told and to be forgotten.
  const { forgotten_at: _forgotten, ...kept } = session;
  const counts: Counts = { ...session.counts, files: session.counts.files + newPaths };
  const next: Session = { ...(kept as Session), step: session.step + 1, counts };
  for (const record of records) {
    counts.records += 1;
    const kind = kindTold(record);
    const counted = Object.hasOwn(COUNTED, kind) ? COUNTED[kind] : undefined;
    if (counted) counts[counted] = (counts[counted] ?? 0) + 1;
    if (record.redacted) next.redacted = addCounts(next.redacted, record.redacted);
    next.last_activity = Math.max(next.last_activity, record.at);
    // One that leads to no state moves nothing: the session could not be read any more.
    if (isKind(record, 'transition') && stateProblem(record.to as unknown as JsonValue) === null)
      next.session_state = record.to;
  }
  return next;
}

const STATE_FIELDS: { [Kind in string]: [name: string, type: 'string' | 'number'][] } = {
  AwaitingUser: [
    ['question', 'string'],
    ['asked_at', 'number'],
  ],
  PendingComplete: [['summary', 'string']],
  Interrupted: [['user_message', 'string']],
  Aborted: [['reason', 'string']],
};

function stateProblem(value: JsonValue | undefined): string | null {
  if (!isObject(value) || !(STATE_KINDS as readonly unknown[]).includes(value.kind)) return 'session_state is unknown';
  for (const [name, type] of STATE_FIELDS[value.kind as string] ?? []) {
    if (type === 'string' ? typeof value[name] !== 'string' : !isCount(value[name])) {
      return `session_state has no ${name}`;
    }
  }
  return null;
}

const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const isText = (value: unknown): boolean => typeof value === 'string';

/** The keys of session.json that every command relies on. */
const CHECKS: [key: string, passes: (value: JsonValue | undefined) => boolean][] = [
  ['session_id', (value) => isText(value) && value !== ''],
  ['task_description', isText],
  ['base', isOid],
  ['step', (value) => isCount(value) && value !== 0],
  ['started_at', isCount],
  ['last_activity', isCount],
  ['counts', (value) => isObject(value) && Object.keys(NO_COUNTS).every((name) => isCount(value[name]))],
  ['agent', (value) => value === null || isText(value)],
  ['sources', Array.isArray],
];

/**
 * What is wrong with the head of a session document, or null. A quick twin of `sessionSchema`, for the hot path;
 * a property test holds the two together. The fine print of `sources` and of optional keys is the schema's.
 */
export function sessionProblem(document: JsonObject): string | null {
  for (const [key, passes] of CHECKS) if (!passes(document[key])) return `"${key}" is missing or wrong`;
  return stateProblem(document.session_state);
}

/**
 * Whether a session was ended by its user in a conversation with an agent, and only waits for the end of a turn that may never
 * come: the next command saves it (format rule of ctx, "Confirmation"). One that was ended by hand is left to that hand.
 */
export const waitsForTurn = ({ session_state, sources }: Session): boolean =>
  hasEnded(session_state.kind) && sources.length > 0;
