/** Questions of ctx that wait for the user: one durable file a session, with the message that raised it. */

import { lstatSync } from 'node:fs';
import type { ChoiceKind } from '../../core/choice.ts';
import { damaged } from '../../core/errors.ts';
import { isObject, type JsonValue, parseJson } from '../../core/json.ts';
import { CLASSES } from '../../core/message-class.ts';
import { checkFolder } from '../../git/guard.ts';
import { RECORD_LIMIT } from '../../git/layout.ts';
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
import { archiveRef, isSessionId, SESSIONS, sessionRef } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { adoptObjects, pendingNames, readPending, removePending } from './pending.ts';

/** An open question. */
export interface WaitingChoice {
  version: 1;
  /**
   * Made when the question was asked: records with a greater id came after it, and belong to the session that the answer
   * selects.
   */
  id: string;
  session_id: string;
  kind: ChoiceKind;
  /** The message that raised it; it is in a pending record too, so that it survives the end of the session. */
  raised: string;
  /** The agent's own class of that message, if it gave one. */
  as: string | null;
  /** Unix seconds. */
  asked_at: number;
  /** Change that an answer was about to do when this was written: it is done if the ref names this commit. */
  answered?: { ref: string; head: string };
}

const OPENING = /^\{"sha1":"([0-9a-f]{40})",/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KINDS: readonly unknown[] = ['stale_session', 'new_task', 'unclear'];

const fileOf = (repository: Repository, session: string): string => below(repository.layout.choices, `${session}.json`);

/** Reads the open question of a session; returns null if there is none. @throws {CtxError} damaged */
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

/** Returns the question of a session unless it is being answered. @throws {CtxError} damaged */
export function waitingChoice(repository: Repository, session: string): WaitingChoice | null {
  const choice = readChoice(repository, session);
  return choice?.answered ? null : choice;
}

/** Parses a text; returns null if it is no JSON. */
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
  // It must be a session's ref: pending records are moved to the session by its name.
  const ref = String(answered.ref);
  return ref.startsWith(SESSIONS) && isSessionId(ref.slice(SESSIONS.length));
}

/** Writes a question durably: it survives a kill from then on. Only under LOCK. */
export function writeChoice(repository: Repository, choice: WaitingChoice): void {
  checkFolder(repository.layout, repository.layout.choices);
  const rest = JSON.stringify(choice).slice(1);
  const path = fileOf(repository, choice.session_id);
  const text = `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
  writeDurably(path, `${path}.${repository.ids()}.tmp`, text, repository.durability);
}

/** Removes a question; records after it belong to its own session. Only under LOCK. */
export function removeChoice(repository: Repository, session: string): void {
  if (removeFile(fileOf(repository, session))) syncFolder(repository.layout.choices, repository.durability);
}

/** Returns the sessions with a question. */
export const sessionsWithChoice = (repository: Repository): string[] =>
  listFolder(repository.layout.choices)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .filter(isSessionId);

/**
 * Returns the files of the records that a flush may take: with an open question only those from before it, since the answer
 * selects the session of the others.
 */
export function flushable(repository: Repository, session: string, names: readonly string[]): readonly string[] {
  const choice = names.length === 0 ? null : readChoice(repository, session);
  return choice ? names.filter((name) => name < choice.id) : names;
}

/**
 * Completes an answer after its pointers have moved: records after the question move to the selected session, and the
 * question is removed. Reopens the question if the answer was interrupted before. Only under LOCK, and before anything else
 * moves.
 */
export function settleChoice(repository: Repository, session: string): void {
  const choice = readChoice(repository, session);
  if (!choice) return;
  const { refs } = repository;
  const { answered } = choice;
  const picked = answered?.ref.slice(SESSIONS.length);
  // The session may have ended with the answer.
  if (picked && [sessionRef(picked), archiveRef(picked)].some((ref) => refs.read(ref) === answered?.head)) {
    if (picked !== session) handOver(repository, choice, picked);
    removeChoice(repository, session);
    return;
  }
  // A question whose session was saved otherwise stays open for the next message of its conversation.
  if (!isThere(repository, session)) removeChoice(repository, session);
  else if (answered) {
    const { answered: _, ...waiting } = choice;
    writeChoice(repository, waiting);
  }
}

/** Returns whether an answer was interrupted, or its session was undone: the next change settles the question. */
export const wasAnswered = (repository: Repository, session: string): boolean =>
  readChoice(repository, session)?.answered !== undefined || !isThere(repository, session);

const isThere = ({ refs }: Repository, session: string): boolean =>
  [sessionRef(session), archiveRef(session)].some((ref) => refs.read(ref) !== null);

/** Moves the records after a question to the selected session; those before it are in a step of their own session. */
function handOver(repository: Repository, { id, session_id: from }: WaitingChoice, to: string): void {
  const { pending } = repository.layout;
  const names = pendingNames(repository, from).filter((name) => name > id);
  adoptObjects(repository, from, readPending(repository, from, names));
  if (names.length > 0) {
    checkFolder(repository.layout, below(pending, to));
    // An observer may be making it: it must be on disk before any file leaves its old place.
    if (!makeFolder(below(pending, to), repository.durability)) syncFolder(pending, repository.durability);
  }
  for (const name of names) {
    renameDurably(below(pending, from, name), below(pending, to, name), repository.durability);
    // A power cut may have left both names of one file: renaming one to the other does nothing then (rename(2)).
    removeFile(below(pending, from, name));
  }
  if (names.length > 0) syncFolder(below(pending, from), repository.durability);
  removePending(repository, from, []);
}
