/** Parses records in a file of a commit, one a line: step.jsonl, and the files of a canonical commit. */
import { damaged, notJson } from '../../core/errors.ts';
import { isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { envelopeProblem, RECORD_VERSION, type StoredRecord } from '../../core/records/record.ts';
import { RECORD_LIMIT } from '../../git/layout.ts';
import { newer } from '../pending/pending.ts';

const LINE_FEED = 0x0a;

/**
 * Yields the records of a file, with the text of each.
 * @throws {CtxError} damaged, newer_version; a truncated last line is damage too, since nothing is ever appended to an
 * object
 */
export function* recordLines(bytes: Buffer, where: string): Generator<{ line: string; record: StoredRecord }> {
  let number = 0;
  for (let at = 0; at < bytes.length; ) {
    number += 1;
    const what = `${where} line ${number}`;
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0) throw damaged(what, 'it is cut off');
    if (end - at > RECORD_LIMIT) throw damaged(what, 'it is far too long');
    const line = bytes.toString('utf8', at, end);
    yield { line, record: parseRecord(line, what) };
    at = end + 1;
  }
}

function parseRecord(line: string, where: string): StoredRecord {
  let value: JsonValue;
  try {
    value = parseJson(line);
  } catch (cause) {
    throw notJson(where, cause);
  }
  const problem = envelopeProblem(value);
  if (problem !== null || !isObject(value)) throw damaged(where, problem ?? 'it is no record');
  if ((value.version as number) > RECORD_VERSION) throw newer(where);
  return value as unknown as StoredRecord;
}
