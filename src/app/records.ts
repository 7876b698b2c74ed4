/** Making a record ready to be kept: without secrets, with its envelope, its long texts in payloads, a file's content beside it. */
import { externalise, relieve } from '../core/externalise.ts';
import type { JsonObject } from '../core/json.ts';
import { type AnyBody, makeRecord } from '../core/record.ts';
import { sha256 } from '../platform/hash.ts';
import { contentName, type StepRecord } from '../store/chain.ts';
import type { Keeper } from '../store/payload.ts';
import type { PayloadRef } from '../store/pending.ts';
import type { Repository } from '../store/repository.ts';
import { type Redaction, redactionFor } from './redact.ts';
import { fieldText } from './text.ts';

/** Longest line of step.jsonl that is aimed at, in bytes. */
const LINE_AIM = 16 * 1024;

/** A record to be: its fields, those of its texts that come in pieces, and what is kept of a file's content. */
export interface Draft {
  body: AnyBody;
  /** Texts that come in pieces, by field. */
  texts?: Record<string, Iterable<Buffer>> | undefined;
  /** A file's content that is kept already. */
  content?: { mode: string; oid: string } | undefined;
  /** What has redacted other parts of it already: the record tells all that was found. */
  redaction?: Redaction | undefined;
}

/** Makes the record of a draft; its payloads go to `keeper`. No secret of it gets any further. @param at Unix seconds */
export function prepareRecord(
  repository: Pick<Repository, 'ids' | 'layout' | 'settings' | 'durability' | 'lockWait'>,
  keeper: Keeper,
  at: number,
  draft: Draft,
): StepRecord {
  const id = repository.ids();
  const redaction = draft.redaction ?? redactionFor(repository);
  const payloads: PayloadRef[] = [];
  const keep = (name: string, content: Buffer): string => {
    payloads.push({ name, mode: '100644', oid: keeper.write('blob', content) });
    return sha256(content);
  };
  const whole = makeRecord(id, at, redaction.value(draft.body));
  const record = externalise(whole, id, keep);
  // Lists of many short texts weigh as well: no step may grow beyond what one object holds.
  relieve(record as unknown as JsonObject, whole as unknown as JsonObject, id, LINE_AIM, keep);
  for (const [field, pieces] of Object.entries(draft.texts ?? {})) {
    const value = fieldText(redaction.pieces(pieces), `${id}-${field}`, keeper, payloads);
    Object.assign(record, { [field]: value });
  }
  if (Object.keys(redaction.counts).length > 0) {
    const redacted = { ...redaction.counts };
    Object.assign(record, { redacted });
    Object.assign(whole, { redacted });
  }
  if (draft.content) payloads.push({ name: contentName(id), ...draft.content });
  return { record, payloads, whole };
}
