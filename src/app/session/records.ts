/** Making a record ready to be kept: without secrets, with its envelope, its long texts in payloads, a file's content beside it. */
import { INLINE_LIMIT, mayHoldStub } from '../../core/externalise.ts';
import { type AnyBody, makeRecord, type StoredRecord } from '../../core/records/record.ts';
import type { ObjectWriter } from '../../git/objects/payload.ts';
import { contentName, type StepRecord } from '../../history/chain/chain.ts';
import { compactRecord } from '../../history/chain/record-payloads.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { fieldText } from './text.ts';

/** A record to be: its fields, those of its texts that come in pieces, and what is kept of a file's content. */
export interface Draft {
  body: AnyBody;
  /** Texts that come in pieces, by field. */
  texts?: Record<string, Iterable<Buffer>> | undefined;
  /** A file's content that is kept already. */
  content?: { mode: string; oid: string } | undefined;
  /** What has redacted other parts of it already: the record tells all that was found. */
  redaction?: Redaction | undefined;
  /** Its texts were redacted before: to look through long ones again costs a hook more than all else. */
  isRedacted?: boolean | undefined;
}

/**
 * What a record keeps of its texts until it is flushed, in UTF-16 code units of its JSON: to hash long ones and to give each
 * a file of its own would cost a hook more than to write them (measured up to here).
 */
export const WAITING_LIMIT = 32 * 1024;

/** Whether a record may wait as it is: every stub that is found in it at its flush must be ours. */
function mayWaitWhole(whole: StoredRecord, limit: number): boolean {
  if (limit <= INLINE_LIMIT) return false;
  const text = JSON.stringify(whole);
  return text.length <= limit && !mayHoldStub(text);
}

/**
 * Makes the record of a draft; its payloads go to `keeper`. No secret of it gets any further.
 * @param at Unix seconds
 * @param limit how heavy a record may be that keeps its long texts; none does where absent
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
