/** Records: everything observed is one JSON object `{version, id, kind, at, …}`. Types and small pure helpers. */
import type { JsonValue } from '../json.ts';
import { isObject } from '../json.ts';
import type { Message, Part, TokenUsage } from '../message.ts';
import type { NoteRole, SessionState } from '../state.ts';

/** The version of the record format that this ctx writes, and the newest it reads. */
export const RECORD_VERSION = 1;

/** Keys that this version does not know are carried on unchanged. */
interface Open {
  [key: string]: unknown;
}

/** A file that was read or written. */
interface FileBody<Kind extends string> extends Open {
  kind: Kind;
  /** From the project's root, with slashes; absolute where the file lies outside. */
  path: string;
  /** Object id of the content, where the store keeps it. */
  blob?: string | undefined;
  bytes?: number | undefined;
  /** Of the content, hexadecimal, where the store does not keep it. */
  sha256?: string | undefined;
}

/** The fields of each known kind, without the envelope. */
export interface Bodies {
  task: Open & { kind: 'task'; content: string };
  note: Open & { kind: 'note'; content: string; role: NoteRole };
  plan: Open & { kind: 'plan'; content: string };
  read: FileBody<'read'>;
  write: FileBody<'write'>;
  delete: Open & { kind: 'delete'; path: string };
  command: Open & {
    kind: 'command';
    command: string;
    /** Null where it is not known. */
    exit_code?: number | null | undefined;
    output?: string | undefined;
    duration_ms?: number | null | undefined;
  };
  /** An edge between two nodes: `task:…`, `note:…`, `file:…`, `item:…`, `decision:…`. */
  relation: Open & {
    kind: 'relation';
    from: string;
    label: string;
    to: string;
    confidence: 'high' | 'medium' | 'low';
    evidence?: string | undefined;
  };
  message: Open & { kind: 'message'; message: Message };
  /** What a message gained while it streamed; the highest `seq` of a part counts. */
  part: Open & { kind: 'part'; message_id: string; part_id: string; seq: number; part: Part };
  /** What the model no longer sees, or sees again; it can always be taken back. */
  overlay: Open & {
    kind: 'overlay';
    op: 'hide' | 'show' | 'prune' | 'unprune';
    ids?: string[] | undefined;
    range?: (Open & { from: string; to: string }) | undefined;
    reason?: string | undefined;
  };
  /**
   * A move of the session; `by` is the verb. Of a question, `of_tool` tells that a tool has put it, within a turn, and `of_call` by
   * which call, whose end brings the answer; their notes have that, too. Of a confirmation, `said` is what the user said to the agent.
   */
  transition: Open & { kind: 'transition'; from: SessionState; to: SessionState; by: string };
  usage: Open & { kind: 'usage'; usage: TokenUsage };
  permission: Open & { kind: 'permission' };
}

/** The fields of a record of a known kind, without its envelope. */
export type RecordBody = Bodies[keyof Bodies];
/** The fields of any record. */
export type AnyBody = RecordBody | (Open & { kind: string });

/** What every record has: format version, UUIDv7, kind, Unix seconds. */
export interface Envelope {
  version: number;
  id: string;
  kind: string;
  at: number;
  /** How many secrets were taken out of it, by rule; absent where none was. */
  redacted?: Record<string, number> | undefined;
}

/** A record of any kind, as it is stored. */
export type StoredRecord = Envelope & { [key: string]: unknown };
/** A record of one known kind. */
export type RecordOf<Kind extends keyof Bodies> = Envelope & Bodies[Kind];

/** Whether a record is of a kind; narrows it to the fields of that kind. */
export function isKind<Kind extends keyof Bodies>(
  record: StoredRecord,
  kind: Kind,
): record is StoredRecord & RecordOf<Kind> {
  return record.kind === kind;
}

/** Puts the envelope before the fields of a record; what the fields say of `version`, `id`, `at` and `redacted` does not count. */
export function makeRecord(id: string, at: number, body: AnyBody): StoredRecord {
  const { kind, version: _version, id: _id, at: _at, redacted: _redacted, ...fields } = body as StoredRecord;
  return { version: RECORD_VERSION, id, kind, at, ...fields };
}

/** What is wrong with a stored record's envelope, or null. */
export function envelopeProblem(value: JsonValue): string | null {
  if (!isObject(value)) return 'it is not a JSON object';
  if (!Number.isSafeInteger(value.version)) return 'it has no version';
  if (typeof value.id !== 'string' || value.id === '') return 'it has no id';
  if (typeof value.kind !== 'string' || value.kind === '') return 'it has no kind';
  if (!Number.isSafeInteger(value.at) || (value.at as number) < 0) return 'it has no time';
  return null;
}

/** The kind of a record; of one that was forgotten, what it was. */
export const kindTold = ({ kind, was }: StoredRecord): string =>
  kind === 'forgotten' && typeof was === 'string' ? was : kind;
