/** `ctx observe batch`: records NDJSON; good lines are kept, every bad one is reported. */

import { CtxError } from '../../core/errors.ts';
import { changedNumber } from '../../core/exact-number.ts';
import type { JsonValue } from '../../core/json.ts';
import { excessOf, isObject } from '../../core/json.ts';
import { LINE_LIMIT, readLines } from '../../core/lines.ts';
import { checkBody } from '../../core/records/check.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { isOfFile, kindNamed } from '../../core/records/table.ts';
import { oneLine } from '../../core/text.ts';
import { errorAfterRecords, recordsOf } from '../../git/interruption-errors.ts';
import { contentMode } from '../../git/objects/payload.ts';
import type { pendingKeeper } from '../../history/pending/pending.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { addRecord, fileDraft, observedSession } from './observe.ts';
import type { Draft } from './records.ts';
import { pathInProject } from './snapshot.ts';

export interface BatchResult {
  session_id: string;
  records: string[];
  /**
   * Lines that were not kept, numbered from 1, each with its error; `record` if one was kept all the same, though a
   * power cut may lose it.
   */
  problems: { line: number; message: string; record?: string }[];
  /** Kinds of kept records that this ctx does not know, each with the first line that has it. */
  unknown_kinds: { line: number; kind: string }[];
}

/** Records the lines of an NDJSON stream. @param from the folder that relative paths start from */
export function observeBatch(repository: Repository, pieces: Iterable<Buffer>, from = process.cwd()): BatchResult {
  const session_id = observedSession(repository);
  const result: BatchResult = { session_id, records: [], problems: [], unknown_kinds: [] };
  const unknown = new Set<string>();
  for (const { text, number, isMalformed } of readLines(pieces)) {
    if (text !== null && text.trim() === '') continue;
    try {
      const body = parseLine(text, isMalformed === true);
      result.records.push(
        addRecord(repository, session_id, (keeper) => draftOf(repository, session_id, body, from, keeper)),
      );
      if (kindNamed(body.kind) || unknown.has(body.kind)) continue;
      unknown.add(body.kind);
      result.unknown_kinds.push({ line: number, kind: body.kind });
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      const isOwn = ['invalid_input', 'not_found', 'io'].includes(error.code);
      // A full disk is not the line's fault: the following lines would fail as well.
      const isFull = error.code === 'io' && /ENOSPC|EDQUOT|EROFS/.test(error.message);
      if (!isOwn || isFull) throw errorAfterRecords(session_id, result.records, error);
      const [record] = recordsOf(error);
      result.problems.push({ line: number, message: error.message, ...(record === undefined ? {} : { record }) });
    }
  }
  return result;
}

function parseLine(text: string | null, isMalformed: boolean): AnyBody {
  if (text === null) throw new CtxError('invalid_input', `it is longer than ${LINE_LIMIT / 1_048_576} MiB`);
  // Bytes of another encoding would all become one replacement character.
  if (isMalformed) throw new CtxError('invalid_input', 'it holds bytes that are no UTF-8');
  const excess = excessOf(text);
  if (excess !== null) throw new CtxError('invalid_input', `it ${excess}`);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    // The rest of the parser's message quotes the input, which may be a secret.
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new CtxError(
      'invalid_input',
      `it is no JSON${at === undefined ? '' : ` from character ${Number(at) + 1} on`}`,
    );
  }
  const changed = changedNumber(text);
  if (changed !== null)
    throw new CtxError(
      'invalid_input',
      `"${oneLine(changed)}" is a number that would not be kept as it is: give it as text`,
    );
  const check = checkBody(value);
  if (!check.ok) throw new CtxError('invalid_input', check.problem);
  return check.body as AnyBody;
}

/**
 * Returns a record of a file with its path in the form of all records: relative to the project's root if it is inside.
 */
function withPath(repository: Repository, redaction: Redaction, body: AnyBody, from: string): AnyBody {
  const { path } = body as { path?: unknown };
  if (!isOfFile(body) || typeof path !== 'string') return body;
  return { ...body, path: pathInProject(repository, redaction, path, from) } as AnyBody;
}

/**
 * Makes the draft of a record: a file that is only named is read as by `observe read` and `observe write`; a `blob`
 * must be in the store.
 */
function draftOf(
  repository: Repository,
  session: string,
  given: AnyBody,
  from: string,
  keeper: ReturnType<typeof pendingKeeper>,
): Draft {
  const redaction = redactionFor(repository);
  const body = withPath(repository, redaction, given, from);
  if (!isObject(body) || (body.kind !== 'read' && body.kind !== 'write')) return { body, redaction };
  const { blob, bytes, sha256 } = body as unknown as {
    blob?: string;
    bytes?: number;
    sha256?: string;
  };
  if (blob !== undefined) {
    const mode = contentMode(repository.objects, blob);
    if (mode === null) throw new CtxError('invalid_input', `"blob" names no content that the store holds: ${blob}`);
    keeper.written.push(blob);
    return { body, content: { mode, oid: blob }, redaction };
  }
  if (bytes !== undefined || sha256 !== undefined) return { body, redaction };
  const { path } = given as { path: string };
  const draft = fileDraft(repository, session, { kind: body.kind, path, from }, keeper);
  return { ...draft, body: { ...body, ...draft.body } };
}
