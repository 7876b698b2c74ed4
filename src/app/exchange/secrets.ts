/** Looks for secrets in what came from elsewhere, with the rules of this store; what was forgotten here counts as one. */
import type { JsonValue } from '../../core/json.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenFilterOf } from '../redaction/forgotten-filter.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { OnBlob } from './pieces.ts';

/** A search in contents that are given one by one. */
export interface SecretSearch {
  /** Is given every content; those of `step.jsonl` are left to `onRecords`. */
  onBlob: OnBlob;
  /** Is given the records of every step. */
  onRecords: (step: string, records: readonly StoredRecord[]) => void;
  /** The contents and steps with secrets. */
  found: ReadonlySet<string>;
}

/** The file of a step with its records; no other commit that is accepted has one. */
const RECORDS = 'step.jsonl';
/** A NUL among so many bytes at the beginning means that a content is binary, as Git has it. */
const PROBE = 8000;

/** Begins a search. */
export function searchSecrets(repository: Repository): SecretSearch {
  const found = new Set<string>();
  const forgotten = forgottenFilterOf(repository);
  const isOn = repository.settings.redact !== false || forgotten !== null;
  const isChanged = (value: JsonValue): boolean => {
    const redaction = redactionFor(repository, forgotten);
    if (typeof value === 'string') return redaction.text(value) !== value;
    const redacted = redaction.value(value);
    // Mostly nothing is redacted, and the value is returned as it is.
    return redacted !== value && JSON.stringify(redacted) !== JSON.stringify(value);
  };
  const onBlob: OnBlob = (oid, content, name, folder) => {
    if (!isOn || (folder === '' && name === RECORDS) || content.subarray(0, PROBE).includes(0)) return;
    const text = content.toString('utf8');
    const values = folder === '' ? documentsIn(text, name) : null;
    if (values ? values.some(isChanged) : isChanged(text)) found.add(oid);
  };
  const onRecords: SecretSearch['onRecords'] = (step, records) => {
    if (isOn && (records as readonly JsonValue[]).some(isChanged)) found.add(step);
  };
  return { onBlob, onRecords, found };
}

/** Returns the JSON values of a file of ctx's own; null if it holds none. */
function documentsIn(text: string, name: string): JsonValue[] | null {
  try {
    if (name.endsWith('.json')) return [JSON.parse(text) as JsonValue];
    if (name.endsWith('.jsonl'))
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as JsonValue);
  } catch {
    // The checks refuse it.
  }
  return null;
}
