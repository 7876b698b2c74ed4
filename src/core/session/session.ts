/** A session as of one step: how it opens, how records change it, and how session.json is read on the hot path. */
import { addCounts, isCount } from '../counts.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isObject } from '../json.ts';
import type { TokenUsage } from '../message.ts';
import { changedRules } from '../permission/session-rules.ts';
import { isKind, kindOf, type StoredRecord } from '../records/record.ts';
import { kindNamed } from '../records/table.ts';
import { hasEnded, STATE_KINDS } from '../state.ts';
import type { Counts, Session } from './schema.ts';

export type { Counts, Ending, Pause, ReadFile, Session, Source } from './schema.ts';
export type { TokenUsage };

/** The version of session.json that this ctx writes, and the newest it reads. */
export const SESSION_VERSION = 1;

const NO_COUNTS: Counts = { records: 0, notes: 0, plans: 0, commands: 0, relations: 0, messages: 0, files: 0 };
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
  // A session that was forgotten as a whole no longer is: there is something in it again.
  const { forgotten_at: _forgotten, ...kept } = session;
  const counts: Counts = { ...session.counts, files: session.counts.files + newPaths };
  const next: Session = { ...(kept as Session), step: session.step + 1, counts };
  for (const record of records) {
    counts.records += 1;
    const kind = kindOf(record);
    const counted = kindNamed(kind)?.counted;
    if (counted) counts[counted] = (counts[counted] ?? 0) + 1;
    if (record.redacted) next.redacted = addCounts(next.redacted, record.redacted);
    if (kindNamed(kind)?.isDated(record) !== false) next.last_activity = Math.max(next.last_activity, record.at);
    foldItself(next, record);
    addOwnUsage(next, record);
    // One that leads to no state moves nothing: the session could not be read any more.
    if (isKind(record, 'transition') && stateProblem(record.to as unknown as JsonValue) === null)
      next.session_state = record.to;
  }
  return next;
}

/** Fields of an `about` record. */
export const ABOUT_KEYS = [
  ...(['agent', 'agent_version', 'command', 'mode', 'model', 'type'] as const),
  ...(['system_prompt', 'mcp_servers', 'tools', 'launched', 'origin'] as const),
];

/** Takes over what a record says of the session as a whole; a record of any other kind says nothing of that. */
function foldItself(session: Session, record: StoredRecord): void {
  if (record.kind === 'about') {
    for (const key of ABOUT_KEYS) if (record[key] !== undefined) Object.assign(session, { [key]: record[key] });
  } else if (isKind(record, 'title')) session.renamed = record.content;
  else if (isKind(record, 'rule'))
    Object.assign(session, { permissions: changedRules(session.permissions ?? [], record) });
  else if (record.kind === 'status') {
    const { to, by, at, summary } = record;
    if (to === 'active') delete session.paused;
    else session.paused = { at, by: String(by), ...(typeof summary === 'string' && { summary }) };
  }
}

/** Adds what a message used that a command of ctx has recorded; a reader of transcripts sums the usage of its own. */
function addOwnUsage(session: Session, record: StoredRecord): void {
  const message = record.kind === 'message' ? (record['message'] as JsonObject | undefined) : undefined;
  const metadata = isObject(message?.['metadata']) ? message['metadata'] : undefined;
  const isOwn = metadata?.['recorded_by'] === 'ctx' || (record.kind === 'part' && record['recorded_by'] === 'ctx');
  if (!isOwn) return;
  const fields = metadata ?? (record as unknown as JsonObject);
  if (isObject(fields['usage'])) session.usage = addCounts(session.usage as Record<string, number>, fields['usage']);
  if (typeof fields['cost_usd'] === 'number') session.cost_usd = (session.cost_usd ?? 0) + fields['cost_usd'];
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

/** Checks if a session is a branch that stays out of lists, and is swept after a day. */
export const isEphemeral = ({ metadata }: Session): boolean => metadata?.ephemeral === true;

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
 * Returns the fault of the head of a session document, or null. A quick twin of `sessionSchema`, for the hot path;
 * a property test holds the two together. The fine print of `sources` and of optional keys is the schema's.
 */
export function sessionProblem(document: JsonObject): string | null {
  for (const [key, passes] of CHECKS) if (!passes(document[key])) return `"${key}" is missing or wrong`;
  return stateProblem(document.session_state);
}

/**
 * Checks if a session was ended by its user in a conversation with an agent, and only waits for the end of a turn that may never
 * come: the next command saves it (format rule of ctx, "Confirmation"). One that was ended by hand is left to that hand.
 */
export const waitsForTurn = ({ session_state, sources }: Session): boolean =>
  hasEnded(session_state.kind) && sources.length > 0;
