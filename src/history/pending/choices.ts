/** Questions of ctx's own that wait for the user: one durable file a session, with the message that raised it. */

import { lstatSync } from 'node:fs';
import type { ChoiceKind } from '../../core/choice.ts';
import { damaged } from '../../core/errors.ts';
import { isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { CLASSES } from '../../core/message-class.ts';
import { checkFolder } from '../../git/guard.ts';
import { archiveRef, isSessionId, RECORD_LIMIT, SESSIONS, sessionRef } from '../../git/layout.ts';
import { sha1 } from '../../git/objects/loose.ts';
import { below } from '../../platform/below.ts';
import {
  listFolder,
  makeFolder,
  readIfThere,
  removeFile,
  renameDurably,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import type { Repository } from '../store/repository.ts';
import { adoptObjects, pendingNames, readPending, removePending } from './pending.ts';

/** A question that waits. */
export interface WaitingChoice {
  version: 1;
  /** Made when the question was: records with a greater id came after it, and go to the session that the answer picks. */
  id: string;
  session_id: string;
  kind: ChoiceKind;
  /** The message that raised it; it stands in a waiting record too, so that no end of the session can lose it. */
  raised: string;
  /** How the agent itself had classed that message, where it had. */
  as: string | null;
  /** Unix seconds. */
  asked_at: number;
  /** What an answer was about to do when this was written: it has happened if the ref names this commit. */
  answered?: { ref: string; head: string };
}

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KINDS: readonly unknown[] = ['stale_session', 'new_task', 'unclear'];

const fileOf = (repository: Repository, session: string): string => below(repository.layout.choices, `${session}.json`);

/** The question that waits for an answer in a session; null where none does. @throws {CtxError} damaged */
export function readChoice(repository: Repository, session: string): WaitingChoice | null {
  const text = readIfThere(fileOf(repository, session), RECORD_LIMIT)?.toString('utf8');
  if (text === undefined) {
    // A file in the place of the folder would hide every question.
    if (lstatSync(repository.layout.choices, { throwIfNoEntry: false })?.isDirectory() === false)
      throw damaged('choices', 'it must be a folder');
    return null;
  }
  const where = `choices/${session}.json`;
  const refuse = (why: string): never => {
    throw damaged(where, why, { hint: 'Nothing was changed. Set it aside with: ctx fsck --repair' });
  };
  const rest = text.slice(51).replace(/\n$/, '');
  if (OPENING.exec(text)?.[1] !== sha1(Buffer.from(rest))) refuse('its checksum does not match');
  const value = parsedOrNull(text);
  if (!isChoice(value) || value.session_id !== session) refuse('it holds no question');
  return value as unknown as WaitingChoice;
}

/** The question of a session that still waits: none that is being answered. @throws {CtxError} damaged */
export function waitingChoice(repository: Repository, session: string): WaitingChoice | null {
  const choice = readChoice(repository, session);
  return choice?.answered ? null : choice;
}

/** The value of a text; null where it is no JSON. */
function parsedOrNull(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throwResourceError(error);
    return null;
  }
}

function isChoice(value: JsonValue): value is { [key: string]: JsonValue } {
  if (!isObject(value) || value.version !== 1 || !KINDS.includes(value.kind)) return false;
  const { id, session_id, raised, as, asked_at, answered } = value;
  const texts = [session_id, raised].every((item) => typeof item === 'string');
  if (!texts || !UUID.test(String(id)) || !Number.isSafeInteger(asked_at)) return false;
  if (as !== null && !CLASSES.some((name) => name === as)) return false;
  if (answered === undefined) return true;
  if (!isObject(answered) || !/^[0-9a-f]{40}$/.test(String(answered.head))) return false;
  // Of a session, and of nothing else: what waits is handed to it by its name.
  const ref = String(answered.ref);
  return ref.startsWith(SESSIONS) && isSessionId(ref.slice(SESSIONS.length));
}

/** Keeps a question durably; when this returns it survives a kill. Only under LOCK. */
export function writeChoice(repository: Repository, choice: WaitingChoice): void {
  checkFolder(repository.layout, repository.layout.choices);
  const rest = JSON.stringify(choice).slice(1);
  const path = fileOf(repository, choice.session_id);
  const text = `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
  writeDurably(path, `${path}.${repository.ids()}.tmp`, text, repository.durability);
}

/** Takes a question back that waits: what came after it is its own session's. Only under LOCK. */
export function removeChoice(repository: Repository, session: string): void {
  if (removeFile(fileOf(repository, session))) syncFolder(repository.layout.choices, repository.durability);
}

/** Sessions in which a question waits. */
export const sessionsWithChoice = (repository: Repository): string[] =>
  listFolder(repository.layout.choices)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .filter(isSessionId);

/**
 * Files of the records that a flush may take: while a question waits, only those that were there before it, for the answer
 * picks the session of the others.
 */
export function flushable(repository: Repository, session: string, names: readonly string[]): readonly string[] {
  const choice = names.length === 0 ? null : readChoice(repository, session);
  return choice ? names.filter((name) => name < choice.id) : names;
}

/**
 * Makes an end of an answer, once its pointers have moved: what came after the question goes to the session that was picked,
 * and the question goes. Finds nothing to do where the answer was cut off before.
 * Only under LOCK, and before anything else moves.
 */
export function settleChoice(repository: Repository, session: string): void {
  const choice = readChoice(repository, session);
  if (!choice) return;
  const { refs } = repository;
  const { answered } = choice;
  const picked = answered?.ref.slice(SESSIONS.length);
  // What was asked may have ended with the answer.
  if (picked && [sessionRef(picked), archiveRef(picked)].some((ref) => refs.read(ref) === answered?.head)) {
    if (picked !== session) handOver(repository, choice, picked);
    removeChoice(repository, session);
    return;
  }
  // One whose session something else has saved waits on, for the next message of its conversation.
  if (!isThere(repository, session)) removeChoice(repository, session);
  else if (answered) {
    const { answered: _, ...waiting } = choice;
    writeChoice(repository, waiting);
  }
}

/** Whether an answer was cut off, or its session was taken back: the next change settles it. */
export const wasAnswered = (repository: Repository, session: string): boolean =>
  readChoice(repository, session)?.answered !== undefined || !isThere(repository, session);

const isThere = ({ refs }: Repository, session: string): boolean =>
  [sessionRef(session), archiveRef(session)].some((ref) => refs.read(ref) !== null);

/** Hands what came after a question to the session that was picked; what came before is in a step of its own session. */
function handOver(repository: Repository, { id, session_id: from }: WaitingChoice, to: string): void {
  const { pending } = repository.layout;
  const names = pendingNames(repository, from).filter((name) => name > id);
  adoptObjects(repository, from, readPending(repository, from, names));
  if (names.length > 0) {
    checkFolder(repository.layout, below(pending, to));
    // An observer may just be making it: the disk must have it before anything leaves its old place.
    if (!makeFolder(below(pending, to), repository.durability)) syncFolder(pending, repository.durability);
  }
  for (const name of names) {
    renameDurably(below(pending, from, name), below(pending, to, name), repository.durability);
    // A power cut may have left both names of one file: to rename the one to the other does nothing then (rename(2)).
    removeFile(below(pending, from, name));
  }
  if (names.length > 0) syncFolder(below(pending, from), repository.durability);
  removePending(repository, from, []);
}
