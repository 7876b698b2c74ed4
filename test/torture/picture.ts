/** Lists the contents of a store as they count for the promises: its pointers, and every record with its place. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from '../../src/git/layout.ts';
import { readChain, readCommit, readRecords, walkChain } from '../../src/history/chain/chain.ts';
import { unflushed } from '../../src/history/chain/unflushed.ts';
import { ARCHIVE, archiveRef, SESSIONS, sessionRef } from '../../src/history/names/layout.ts';
import { readableOperations } from '../../src/history/operations/operation-files.ts';
import { readChoice, sessionsWithChoice } from '../../src/history/pending/choices.ts';
import { sessionsWithPending } from '../../src/history/pending/pending.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import { openProject } from './in-process.ts';

export interface Picture {
  main: string | null;
  /** First parents of main, newest first, main itself included. */
  line: string[];
  stage: string | null;
  /** Heads by session id. */
  sessions: Map<string, string>;
  archive: Map<string, string>;
  /** Steps of every chain, by its head, newest first. */
  steps: Map<string, string[]>;
  /** Text of each record by its id, once for each place that it stands in. */
  records: Map<string, string[]>;
  /** Ids of those that wait to be flushed. */
  waiting: Set<string>;
  /** Questions of ctx's own that wait, by session: their kind and what raised them. */
  choices: Map<string, string>;
  /** Ids of the operations that have finished and can be read. */
  operations: Set<string>;
}

const NOTHING = (): Picture => ({
  main: null,
  line: [],
  stage: null,
  sessions: new Map(),
  archive: new Map(),
  steps: new Map(),
  records: new Map(),
  waiting: new Set(),
  choices: new Map(),
  operations: new Set(),
});

/** Looks at the store of a project; one that is not there holds nothing. @throws {CtxError} damaged */
export function takePicture(project: string): Picture {
  if (!existsSync(join(project, '.ctx', 'HEAD'))) return NOTHING();
  const repository = openProject(project);
  const { refs, objects } = repository;
  const picture = NOTHING();
  picture.main = refs.read(MAIN);
  for (let at = picture.main; at !== null; at = readCommit(objects, at).parents[0] ?? null) picture.line.push(at);
  picture.stage = refs.stage();
  for (const [prefix, heads] of [
    [SESSIONS, picture.sessions],
    [ARCHIVE, picture.archive],
  ] as const) {
    for (const [ref, head] of refs.list(prefix)) {
      heads.set(ref.slice(prefix.length), head);
      addChain(repository, picture, head);
    }
  }
  addWaiting(repository, picture);
  for (const { id, begun } of readableOperations(repository.layout)) if (!begun) picture.operations.add(id);
  for (const id of sessionsWithChoice(repository)) {
    const choice = readChoice(repository, id);
    if (choice && refs.read(sessionRef(id)) !== null) picture.choices.set(id, `${choice.kind} ${choice.raised}`);
  }
  return picture;
}

function addRecord(picture: Picture, record: { id: string }): void {
  picture.records.set(record.id, [...(picture.records.get(record.id) ?? []), JSON.stringify(record)]);
}

function addChain({ objects }: Repository, picture: Picture, head: string): void {
  const oids: string[] = [];
  for (const [oid, commit] of walkChain(objects, head)) {
    oids.push(oid);
    for (const record of readRecords(objects, commit.tree, `step ${oid}`, false)) addRecord(picture, record);
    // Long texts must come back whole too.
    readRecords(objects, commit.tree, `step ${oid}`, true);
  }
  picture.steps.set(head, oids);
}

function addWaiting(repository: Repository, picture: Picture): void {
  for (const id of sessionsWithPending(repository)) {
    const head = repository.refs.read(sessionRef(id)) ?? repository.refs.read(archiveRef(id));
    if (head === null) continue;
    for (const { record } of unflushed(repository, readChain(repository.objects, head))) {
      addRecord(picture, record);
      picture.waiting.add(record.id);
    }
  }
}

/** Records of `before` that are not there exactly once and unchanged, and records that stand twice. */
export function lostRecords(before: ReadonlyMap<string, readonly string[]>, now: Picture): string[] {
  const problems: string[] = [];
  for (const [id, [text]] of before) {
    const found = now.records.get(id) ?? [];
    if (found.length === 0) problems.push(`record ${id} is lost: ${text?.slice(0, 120)}`);
    else if (text !== undefined && found[0] !== text) problems.push(`record ${id} has changed`);
  }
  for (const [id, found] of now.records)
    if (found.length > 1) problems.push(`record ${id} stands ${found.length} times`);
  return problems;
}

/** Operations of `before` that the log does not have any more. */
export const lostOperations = (before: Picture, now: Picture): string[] =>
  [...before.operations].filter((id) => !now.operations.has(id)).map((id) => `the operation ${id} is lost`);

/** Measures how far one line of commits is from another's head: `+2`, `-1`, or `?` if they part. */
function distance(old: string | null, line: readonly string[], oldLine: readonly string[]): string {
  if (old === null) return line.length === 0 ? '+0' : 'new';
  const ahead = line.indexOf(old);
  if (ahead >= 0) return `+${ahead}`;
  const behind = oldLine.indexOf(line[0] ?? '');
  return behind >= 0 ? `-${behind}` : '?';
}

/** The pointers of a store in terms of what it was before: two stores that went the same way have the same shape. */
export function shapeOf(before: Picture, now: Picture): string {
  const known = [...new Set([...before.sessions.keys(), ...before.archive.keys()])].sort();
  const name = (id: string): string => (known.includes(id) ? `s${known.indexOf(id)}` : 'new');
  const parts = [`main${distance(before.main, now.line, before.line)}`];
  parts.push(`stage:${now.stage === null ? 'none' : name(now.stage.slice(SESSIONS.length))}`);
  for (const id of known) {
    const old = before.sessions.get(id) ?? before.archive.get(id) ?? '';
    const kinds = [now.sessions.has(id) ? 'open' : '', now.archive.has(id) ? 'archived' : ''].filter(Boolean);
    const head = now.sessions.get(id) ?? now.archive.get(id) ?? '';
    const walked = distance(old, now.steps.get(head) ?? [], before.steps.get(old) ?? []);
    parts.push(`${name(id)}:${kinds.join('&') || 'gone'}${walked}`);
  }
  for (const [kind, heads] of [
    ['open', now.sessions],
    ['archived', now.archive],
  ] as const) {
    for (const [id, head] of heads) if (!known.includes(id)) parts.push(`new:${kind}${now.steps.get(head)?.length}`);
  }
  for (const [id, choice] of now.choices) parts.push(`${name(id)} asks ${choice}`);
  return parts.join(' ');
}
