/** Prepares a record for storage: redacts it, adds its envelope, and moves long texts and the content of a file into payloads. */
import { INLINE_LIMIT, mayHoldStub } from '../../core/externalise.ts';
import { type AnyBody, makeRecord, type StoredRecord } from '../../core/records/record.ts';
import type { ObjectWriter } from '../../git/objects/payload.ts';
import { contentName, type StepRecord } from '../../history/chain/chain.ts';
import { compactRecord } from '../../history/chain/record-payloads.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { fieldText } from './text.ts';

/** A record to be made: its fields, its streamed texts, and the stored content of a file. */
export interface Draft {
  body: AnyBody;
  /** Streamed texts, by field. */
  texts?: Record<string, Iterable<Buffer>> | undefined;
  /** The content of a file that is stored already. */
  content?: { mode: string; oid: string } | undefined;
  /** Redaction that has redacted other parts of it already: the record counts all findings. */
  redaction?: Redaction | undefined;
  /** Its texts were redacted before: redacting long ones again costs a hook more than everything else. */
  isRedacted?: boolean | undefined;
}

/**
 * Largest record that keeps its long texts inline until it is flushed, in UTF-16 code units of its JSON: hashing long
 * texts and writing each to a file costs a hook more than writing them inline (measured up to here).
 */
export const WAITING_LIMIT = 32 * 1024;

/** Returns whether a record may be pending unchanged: every stub that its flush finds in it must be ctx's own. */
function mayWaitWhole(whole: StoredRecord, limit: number): boolean {
  if (limit <= INLINE_LIMIT) return false;
  const text = JSON.stringify(whole);
  return text.length <= limit && !mayHoldStub(text);
}

/**
 * Makes the record of a draft, redacted; its payloads are written to `keeper`.
 * @param at Unix seconds
 * @param limit the largest record that keeps its long texts inline; by default none does
 */
export function prepareRecord(
  repository: Pick<Repository, 'ids' | 'layout' | 'settings' | 'durability' | 'lockWait'>,
  keeper: ObjectWriter,
  at: number,
  draft: Draft,
  limit = INLINE_LIMIT,
): StepRecord {
  const id = repository.ids();
  const redaction = draft.redaction ?? redactionFor(repository);
  const body = draft.isRedacted ? redaction.kept(draft.body) : redaction.value(draft.body);
  const whole = makeRecord(id, at, body);
  const { record, payloads, json } = mayWaitWhole(whole, limit)
    ? { record: { ...whole }, payloads: [], json: null }
    : compactRecord(keeper, whole);
  for (const [field, pieces] of Object.entries(draft.texts ?? {})) {
    const value = fieldText(redaction.pieces(pieces), `${id}-${field}`, keeper, payloads, limit);
    Object.assign(record, { [field]: value });
  }
  if (Object.keys(redaction.counts).length > 0) {
    const redacted = { ...redaction.counts };
    Object.assign(record, { redacted });
    Object.assign(whole, { redacted });
  }
  if (draft.content) payloads.push({ name: contentName(id), ...draft.content });
  const isAsMade = draft.texts === undefined && whole.redacted === undefined;
  return { record, payloads, whole, json: isAsMade ? json : null };
}
