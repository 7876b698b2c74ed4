/** Observes: writes a record durably beside the chain, without the lock, so that hooks never wait for each other. */
import { join, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { NoteRole } from '../../core/state.ts';
import { errorAfterRecords, recordsOf } from '../../git/interruption-errors.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { addPending, pendingKeeper, pendingNames } from '../../history/pending/pending.ts';
import { currentRef } from '../../history/pointers/current.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { isMisread } from '../../platform/working-folder.ts';
import { resumeOpenKeys } from '../redaction/open-key.ts';
import { redactionFor } from '../redaction/redact.ts';
import { danglingStage, noActiveSession, sessionIdOf } from './active.ts';
import { isKnownPath } from './known-path.ts';
import { type Draft, prepareRecord, WAITING_LIMIT } from './records.ts';
import { keepingOf, pathInProject, snapshotFile } from './snapshot.ts';
import { filledText, type TextInput } from './text.ts';

export { errorAfterRecords, recordsOf };

export interface Observed {
  session_id: string;
  /** Ids of the records, in order. */
  records: string[];
}

/** Returns the id of the session that observations belong to. @throws {CtxError} no_active_session */
export function observedSession(repository: Repository): string {
  const ref = currentRef(repository);
  if (ref === null) throw noActiveSession(repository);
  if (repository.refs.read(ref) === null && repository.refs.stage() === ref) throw danglingStage(repository, ref);
  return sessionIdOf(ref);
}

/** Returns whether these records are the first of a session after its beginning: they wait alone, and it has one step. */
export function areFirst(repository: Repository, { session_id, records }: Observed): boolean {
  const { refs, objects } = repository;
  if (pendingNames(repository, session_id).length !== records.length) return false;
  const head = refs.read(sessionRef(session_id));
  return head !== null && /^Ctx-Step: 1$/m.test(objects.readAs(head, 'commit').toString('latin1'));
}

/** Returns whether an interrupted `forget` is still to be finished. */
export const hasUnfinishedForgetting = ({ layout }: Repository): boolean => exists(layout.forgettingPlan);

/** Adds one record to a session, durably. */
export function addRecord(
  repository: Repository,
  session: string,
  make: (keeper: ReturnType<typeof pendingKeeper>) => Draft,
): string {
  const keeper = pendingKeeper(repository, session);
  resumeOpenKeys(repository, session);
  const draft = make(keeper);
  const { record, payloads } = prepareRecord(repository, keeper, repository.clock(), draft, WAITING_LIMIT);
  addPending(repository, session, { record, payloads: [...payloads], objects: keeper.written });
  return record.id;
}

/** Puts a text into a field: directly if it is a string, as a stream if it comes in pieces. */
function withText(body: AnyBody, field: string, text: TextInput | undefined): Draft {
  if (text === undefined) return { body };
  if (typeof text === 'string') return { body: { ...body, [field]: text } };
  return { body: { ...body, [field]: '' }, texts: { [field]: text } };
}

/** Requires a text that is not empty; a streamed one is checked while it is read. */
function filled(text: TextInput, what: string): TextInput {
  return typeof text === 'string' ? filledText(text, what) : filledPieces(text, what);
}

function* filledPieces(pieces: Iterable<Buffer>, what: string): Generator<Buffer> {
  let any = false;
  for (const piece of pieces) {
    any = true;
    yield piece;
  }
  if (!any) filledText('', what);
}

/** Records a note. @param text or its bytes in pieces */
export function observeNote(repository: Repository, text: TextInput, role: NoteRole = 'plain'): Observed {
  const session_id = observedSession(repository);
  const body: AnyBody = { kind: 'note', content: '', role };
  const id = addRecord(repository, session_id, () => withText(body, 'content', filled(text, 'The note')));
  return { session_id, records: [id] };
}

/** Records a plan. @param text or its bytes in pieces */
export function observePlan(repository: Repository, text: TextInput): Observed {
  const session_id = observedSession(repository);
  const id = addRecord(repository, session_id, () =>
    withText({ kind: 'plan', content: '' }, 'content', filled(text, 'The plan')),
  );
  return { session_id, records: [id] };
}

export interface ObservedCommand {
  command: string;
  /** Exit code; null if unknown. */
  exit_code: number | null;
  output?: TextInput | undefined;
  duration_ms?: number | undefined;
}

/** Records a command that was run. */
export function observeCommand(repository: Repository, ran: ObservedCommand): Observed {
  const session_id = observedSession(repository);
  const { output, ...fields } = ran;
  const body: AnyBody = { kind: 'command', ...fields };
  return { session_id, records: [addRecord(repository, session_id, () => withText(body, 'output', output))] };
}

export interface Relation {
  from: string;
  label: string;
  to: string;
  confidence?: 'high' | 'medium' | 'low' | undefined;
  evidence?: TextInput | undefined;
}

/** Records one edge between two nodes. */
export function observeRelation(repository: Repository, relation: Relation): Observed {
  const session_id = observedSession(repository);
  const { evidence, confidence = 'medium', ...fields } = relation;
  const body: AnyBody = { kind: 'relation', ...fields, confidence };
  return { session_id, records: [addRecord(repository, session_id, () => withText(body, 'evidence', evidence))] };
}

/** Records several edges. */
export function observeRelations(repository: Repository, relations: readonly Relation[]): Observed {
  const session_id = observedSession(repository);
  const records: string[] = [];
  for (const relation of relations) {
    try {
      records.push(...observeRelation(repository, relation).records);
    } catch (error) {
      throw error instanceof CtxError ? errorAfterRecords(session_id, records, error) : error;
    }
  }
  return { session_id, records };
}

interface FileOptions {
  /** Keep the content even if it is binary, or the file is known to hold secrets. */
  content?: boolean | undefined;
  /** Says that the file was deleted; without it, only a file that ctx knows of can be gone. */
  deleted?: boolean | undefined;
}

/**
 * Records that a file was read, with its present content.
 * @param from the folder that a relative path starts from
 * @throws {CtxError} not_found, if there is no such file
 */
export function observeFileRead(
  repository: Repository,
  path: string,
  from = process.cwd(),
  options: FileOptions = {},
): Observed {
  return observeFile(repository, { kind: 'read', path, from, ...options });
}

/**
 * Records that a file was written, with its present content, or that it was deleted, if it is gone.
 * @param from the folder that a relative path starts from
 * @throws {CtxError} not_found, if there is no such file, and ctx never knew of one
 */
export function observeFileWrite(
  repository: Repository,
  path: string,
  from = process.cwd(),
  options: FileOptions = {},
): Observed {
  return observeFile(repository, { kind: 'write', path, from, ...options });
}

function observeFile(repository: Repository, file: ObservedFile): Observed {
  const session_id = observedSession(repository);
  return {
    session_id,
    records: [addRecord(repository, session_id, (keeper) => fileDraft(repository, session_id, file, keeper))],
  };
}

/** An observed file: what was done with it, and the folder that its path starts from. */
interface ObservedFile extends FileOptions {
  kind: 'read' | 'write';
  path: string;
  from: string;
}

/**
 * Makes the draft of a record of a file; its content is written to `keeper`.
 * @throws {CtxError} not_found, invalid_input, io
 */
export function fileDraft(
  repository: Repository,
  session: string,
  { kind, path, from, content, deleted }: ObservedFile,
  keeper: ReturnType<typeof pendingKeeper>,
): Draft {
  const redaction = redactionFor(repository);
  const named = pathInProject(repository, redaction, path, from);
  const absolute = resolve(from, path);
  if (absolute === repository.layout.root || absolute.startsWith(join(repository.layout.root, '/'))) {
    throw new CtxError('invalid_input', `${path} belongs to the store itself.`, {
      hint: 'Observe files of the project.',
    });
  }
  if (deleted && exists(absolute)) {
    throw new CtxError('invalid_input', `${path} is there: it was not deleted.`, {
      hint: 'Record its content with: ctx observe write <path>',
    });
  }
  const snapshot = snapshotFile(absolute, keepingOf(repository, keeper, redaction, content));
  if (snapshot) return { body: { kind, path: named, ...snapshot.fields }, content: snapshot.content, redaction };
  if (isMisread(absolute)) {
    throw new CtxError('invalid_input', `The name of ${path} is no UTF-8, so ctx cannot find the file.`, {
      hint: 'Rename the file.',
    });
  }
  const isGone = kind === 'write' && !exists(absolute);
  if (isGone && (deleted || isKnownPath(repository, session, named)))
    return { body: { kind: 'delete', path: named }, redaction };
  throw new CtxError('not_found', `There is no file ${path}${isGone ? ', and ctx never knew of one' : ''}.`, {
    hint: 'Record a deleted file with: ctx observe write --deleted <path>',
  });
}
