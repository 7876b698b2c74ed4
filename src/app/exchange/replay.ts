/** Writes a chain again as that of another session, each step from its records, with the secrets taken out if there are any. */
import { isDeepStrictEqual } from 'node:util';
import type { StoredRecord } from '../../core/records/record.ts';
import { isOfFile } from '../../core/records/table.ts';
import { foldStep, newSession, type Session } from '../../core/session/session.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { CHUNK_SIZE, contentMode, storeContent } from '../../git/objects/payload.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import {
  type Chain,
  contentName,
  readSteps,
  type Step,
  type StepRecord,
  writeStep,
} from '../../history/chain/chain.ts';
import { compactRecord } from '../../history/chain/record-payloads.ts';
import { payloadEntries } from '../../history/chain/session-document.ts';
import type { PayloadRef } from '../../history/pending/pending.ts';
import type { Redaction } from '../redaction/redact.ts';
import { refused } from './refusal.ts';

export interface ReplayPlan {
  /** The id of the new session, and its base. */
  id: string;
  base: string;
  /** Begins the redaction of one record; null if nothing has to be taken out. */
  redaction: (() => Redaction) | null;
  /** Takes things out of the session as a whole. */
  changed: Partial<Session>;
}

/** Writes the chain; moves no pointer. @param objects holds the old chain, and takes the new one */
export function replayChain(objects: ObjectStore, head: string, plan: ReplayPlan): Chain {
  let chain: Chain | null = null;
  let before: Session | null = null;
  for (const step of readSteps(objects, head, true)) {
    if (step.session.squashed !== undefined) throw refused('its steps were expired there: it cannot be kept beside');
    const records = step.records.map((record) => recordAgain(objects, step, record, plan));
    const session = sessionAgain(chain, before, step, plan);
    chain = writeStep(objects, { chain, session, records, at: step.commit.committedAt });
    before = step.session;
  }
  return chain as Chain;
}

/** Makes a record of a step once more, with its payloads. */
function recordAgain(
  objects: ObjectStore,
  { commit }: Step,
  whole: StoredRecord,
  { redaction }: ReplayPlan,
): StepRecord {
  const entries = readTree(objects, commit.tree);
  const large = [...payloadEntries(objects, entries).values()].filter(
    ({ name, mode }) => name.startsWith(`${whole.id}-`) && mode === '40000',
  );
  const cleaner = redaction?.() ?? null;
  const kept = large.map(({ name, mode, oid }): PayloadRef => {
    if (!cleaner) return { name, mode, oid };
    return { name, ...storeContent(objects, cleaner.pieces(contentPieces(objects, oid))) };
  });
  let record = cleaner ? cleaner.value(whole) : whole;
  const content: PayloadRef[] = [];
  if (isOfFile(record) && typeof record.blob === 'string') {
    const made = contentAgain(objects, record.blob, cleaner);
    if (made) {
      content.push({ name: contentName(record.id), mode: made.mode, oid: made.oid });
      if (made.bytes !== null) record = { ...record, blob: made.oid, bytes: made.bytes };
    }
  }
  if (cleaner && Object.keys(cleaner.counts).length > 0) record = { ...record, redacted: { ...cleaner.counts } };
  const compact = compactRecord(objects, record, kept);
  return { record: compact.record, payloads: [...compact.payloads, ...content], whole: record };
}

/** Returns the content of a file once more; its size only if it was written again. */
function contentAgain(
  objects: ObjectStore,
  oid: string,
  cleaner: Redaction | null,
): { mode: string; oid: string; bytes: number | null } | null {
  const mode = contentMode(objects, oid);
  if (mode === null) return null;
  if (!cleaner) return { mode, oid, bytes: null };
  return storeContent(objects, cleaner.content(contentPieces(objects, oid), true));
}

/** Yields a stored content in pieces of CHUNK_SIZE bytes. */
function* contentPieces(objects: Pick<ObjectStore, 'read' | 'readAs'>, oid: string): Generator<Buffer> {
  const { type, content } = objects.read(oid);
  if (type === 'tree') for (const entry of readTree(objects, oid)) yield objects.readAs(entry.oid, 'blob');
  else for (let at = 0; at < content.length; at += CHUNK_SIZE) yield content.subarray(at, at + CHUNK_SIZE);
}

/** Returns the session before a step of the new chain, with what the step itself has changed beside its records. */
function sessionAgain(
  chain: Chain | null,
  before: Session | null,
  { session, records }: Step,
  plan: ReplayPlan,
): Session {
  const { id, base, changed, redaction } = plan;
  const clean = redaction?.().value(session) ?? session;
  const { task_description, agent, started_at } = clean;
  const old = before ?? newSession(session.session_id, session.task_description, agent, session.base, started_at);
  const folded = foldStep(old, records, session.counts.files - old.counts.files);
  const last: Session = chain?.session ?? { ...newSession(id, task_description, agent, base, started_at), ...changed };
  const own = Object.keys(session).filter((key) => !COMPUTED.has(key) && !isDeepStrictEqual(folded[key], session[key]));
  const next: Session = { ...last, ...Object.fromEntries(own.map((key) => [key, clean[key]])), ...changed };
  for (const key of Object.keys(folded)) if (!(key in session)) delete next[key];
  return { ...next, session_id: id, base, step: last.step, counts: last.counts, started_at };
}

/** Fields that a step gets from its number and its records. */
const COMPUTED = new Set(['session_id', 'base', 'step', 'counts', 'session_state', 'last_activity', 'started_at']);
