/** Finds the places where other sessions quote the task of a session: in the question that started it, and in transcripts that they had read already. */
import { trailersOf } from '../../core/commit.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import { begins, conversationOf, type Forgetting, isRaisedByIt, textsOfRecord } from '../../core/session/forgetting.ts';
import type { Session } from '../../core/session/session.ts';
import { readIfWhole } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isStep, readChain, readCommit, readRecords, readSteps, walkChain } from '../chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../names/layout.ts';
import { readChoice, sessionsWithChoice } from '../pending/choices.ts';
import { readPending, sessionsWithPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import { wholeOf } from './find.ts';
import { withPendingObjects } from './pending.ts';
import { allOids } from './store-listing.ts';

type Tasks = ReadonlySet<string>;

/** Returns the tasks of a session: an untitled one gets its task with its first prompt. @throws {CtxError} damaged */
export function tasksOf({ objects }: Repository, head: string): Set<string> {
  const tasks = new Set<string>();
  for (const { session, records } of readSteps(objects, head, true)) {
    tasks.add(session.task_description.trim());
    for (const record of records) if (isKind(record, 'task')) tasks.add(record.content.trim());
  }
  return tasks;
}

/** Returns the ids of records in which other sessions quote the first task of a session. @throws {CtxError} damaged */
export function quotingRecords(repository: Repository, begun: Session, tasks: Tasks): Set<string> {
  const records = [
    ...questionsOf(repository, gaveWayTo(repository, begun), tasks),
    ...questionsWaiting(repository, begun.session_id, tasks),
    ...promptsOf(repository, begun, tasks),
  ];
  return new Set(records.map(({ id }) => id));
}

/** Returns whether a record is the question of ctx whether to begin such a task. */
const isQuestion = ({ kind, message }: StoredRecord, tasks: Tasks): boolean =>
  kind === 'choice' && typeof message === 'string' && [...tasks].some((task) => begins(message, task));

/**
 * Returns the sessions that were ended for a new one: its base, those saved together with it, and those with nothing to
 * save.
 * @throws {CtxError} damaged
 */
function gaveWayTo({ refs, objects }: Repository, { session_id, base, started_at }: Session): Set<string> {
  const ended = new Set<string>();
  for (const [ref, head] of refs.list(ARCHIVE)) {
    const before = readChain(objects, head, ref).session;
    if (before.base === base && before.session_id < session_id) ended.add(before.session_id);
  }
  for (let oid: string | undefined = base; oid !== undefined && objects.holds(oid); ) {
    const commit = readCommit(objects, oid);
    const session = trailersOf(commit.message).get('Ctx-Session');
    if (session === undefined || readChain(objects, oid).session.ended?.at !== started_at) break;
    ended.add(session);
    oid = commit.parents[0];
  }
  return ended;
}

/** Yields their questions, also from unreachable steps: expired ones exist until Git removes them. */
function* questionsOf(repository: Repository, ended: ReadonlySet<string>, tasks: Tasks): Generator<StoredRecord> {
  if (ended.size === 0) return;
  for (const oid of new Set(allOids(repository.layout))) {
    if (readIfWhole(repository.objects, oid)?.type !== 'commit') continue;
    let found: StoredRecord[] = [];
    const look = (): void => {
      const read = (whole: boolean): StoredRecord[] => recordsOf(repository.objects, oid, ended, whole);
      // Few steps have questions: long texts of the others are not read.
      const asks = read(false).some(({ kind }) => kind === 'choice');
      found = asks ? read(true).filter((record) => isQuestion(record, tasks)) : [];
    };
    // A power cut may have left a part of an unreachable step; making the plan reads the needed ones again.
    if (!isDamaged(look)) yield* found;
  }
}

/** Returns the records of a commit if it is a step of one of the sessions. */
function recordsOf(objects: ObjectStore, oid: string, sessions: ReadonlySet<string>, whole: boolean): StoredRecord[] {
  const { message, tree } = readCommit(objects, oid);
  const isTheirs = isStep(message) && sessions.has(trailersOf(message).get('Ctx-Session') ?? '');
  return isTheirs ? readRecords(objects, tree, `step ${oid}`, whole) : [];
}

/** Yields the pending questions of earlier sessions that are still open. */
function* questionsWaiting(repository: Repository, begun: string, tasks: Tasks): Generator<StoredRecord> {
  const objects = withPendingObjects(repository, repository.objects);
  for (const session of sessionsWithPending(repository).filter((id) => id < begun))
    for (const item of readPending(repository, session))
      if (item.record.kind === 'choice' && isQuestion(wholeOf(objects, item), tasks)) yield item.record;
}

/** Yields the prompts in earlier sessions of the same conversation; ids are ordered by time. */
function* promptsOf({ refs, objects }: Repository, begun: Session, tasks: Tasks): Generator<StoredRecord> {
  const conversations = new Set(begun.sources.map(conversationOf));
  for (const prefix of [SESSIONS, ARCHIVE])
    for (const [ref, head] of refs.list(prefix)) {
      const { session_id, sources } = readChain(objects, head, ref).session;
      const isOfSame = sources.some((source) => conversations.has(conversationOf(source)));
      if (isOfSame && session_id < begun.session_id) yield* promptOf(objects, head, tasks);
    }
}

/**
 * Returns the prompts at the end of a session: an agent may write a prompt to its transcript before its hook runs, so that
 * the previous session has read it.
 */
function promptOf(objects: ObjectStore, head: string, tasks: Tasks): StoredRecord[] {
  const found: StoredRecord[] = [];
  for (const [oid, { tree }] of walkChain(objects, head)) {
    const records = readRecords(objects, tree, `step ${oid}`, true);
    found.push(...records.filter((record) => isRead(record, tasks)));
    if (records.some(isOfUser)) break;
  }
  return found;
}

const isOfUser = (record: StoredRecord): boolean => isKind(record, 'message') && record.message.role === 'user';

/** Returns whether a record comes from a transcript and contains a task verbatim. */
const isRead = (record: StoredRecord, tasks: Tasks): boolean =>
  ['message', 'part', 'raw'].includes(record.kind) && [...textsOfRecord(record).keys()].some((text) => tasks.has(text));

/** Returns the files of pending questions that forgotten records have raised. @throws {CtxError} damaged */
export function questionsThatGo(repository: Repository, forgetting: Forgetting): string[] {
  return sessionsWithChoice(repository)
    .filter((session) => {
      const choice = readChoice(repository, session);
      return choice !== null && isRaisedByIt(forgetting, session, choice.raised);
    })
    .map((session) => `choices/${session}.json`);
}
