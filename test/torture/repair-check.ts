/** Checks a repair against the store before the damage: pointers where they were, and every record that is whole. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FsckResult } from '../../src/app/fsck.ts';
import { CtxError } from '../../src/core/errors.ts';
import { MAIN } from '../../src/git/layout.ts';
import { readTree } from '../../src/git/objects/tree-editor.ts';
import type { Refs } from '../../src/git/refs/refs.ts';
import { readCommit, readRecords } from '../../src/history/chain/chain.ts';
import { archiveRef, layoutOf, SESSIONS, sessionRef } from '../../src/history/names/layout.ts';
import { readableOperations } from '../../src/history/operations/operation-files.ts';
import type { RandomHarm } from './harms.ts';
import { openProject, runHere } from './in-process.ts';
import type { Patient } from './patients.ts';
import { type Picture, takePicture } from './picture.ts';
import { type Readable, readPointerState } from './readable.ts';
import { copyProject, removeProject } from './stores.ts';

/** A commit of the sound store: what must be whole for a pointer to name it, and what more for its records to be read. */
interface Step {
  oid: string;
  /** The commit, its tree, its session.json. */
  own: string[];
  /** Its step.jsonl, and the records in it. */
  told: string[];
  records: string[];
}

/** A pointer of the sound store, and the commits that it has named, newest first. */
interface Line {
  ref: string;
  steps: Step[];
  /** Result of a repair of the sound store: an operation that was cut off is finished. */
  goal: string | null;
}

/** A sound store, as a repair of a damaged one is judged by it. */
export interface Sound {
  lines: Line[];
  stage: (string | null)[];
  /** Files of records that wait, with their ids. */
  waiting: Map<string, string>;
}

/** Takes a sound store down. */
export async function takeDown(patient: Patient, workshop: string): Promise<Sound> {
  const { picture, project, files } = patient;
  const trial = copyProject(project, workshop);
  const { error } = await runHere(trial, ['fsck', '--full', '--repair']);
  if (error) throw error;
  const goal = takePicture(trial);
  removeProject(trial);
  const lines: Line[] = [{ ref: MAIN, steps: stepsOf(project, picture.line), goal: goal.main }];
  const heads = (of: (one: Picture) => Map<string, string>, refOf: (id: string) => string): void => {
    for (const [id, head] of of(picture))
      lines.push({
        ref: refOf(id),
        steps: stepsOf(project, picture.steps.get(head) ?? []),
        goal: of(goal).get(id) ?? null,
      });
  };
  heads((one) => one.sessions, sessionRef);
  heads((one) => one.archive, archiveRef);
  const waiting = files.flatMap((path): [string, string][] => {
    const id = /^pending\/[^/]+\/([^/]+)\.json$/.exec(path)?.[1];
    return id === undefined ? [] : [[path, id]];
  });
  return { lines, stage: [picture.stage, goal.stage], waiting: new Map(waiting) };
}

function stepsOf(project: string, oids: readonly string[]): Step[] {
  const { objects } = openProject(project);
  return oids.map((oid) => {
    const { tree } = readCommit(objects, oid);
    const entry = (name: string): string[] =>
      readTree(objects, tree)
        .filter((one) => one.name === name)
        .map((one) => one.oid);
    const told = entry('step.jsonl');
    const records = told.length === 0 ? [] : readRecords(objects, tree, oid, false).map(({ id }) => id);
    return { oid, own: [oid, tree, ...entry('session.json')], told, records };
  });
}

export interface Mended {
  /** Number of pointers and records that were compared. */
  pointers: number;
  records: number;
  losses: string[];
}

/** Damages a store, mends it without asking it anything before, and compares it with what it was. */
export async function judgeMended(
  patient: Patient,
  sound: Sound,
  harms: readonly RandomHarm[],
  workshop: string,
): Promise<Mended> {
  const project = copyProject(patient.project, workshop);
  const mended: Mended = { pointers: 0, records: 0, losses: [] };
  try {
    for (const harm of harms) harm.inflict(join(project, '.ctx'));
    const damaged = await readPointerState(patient, project);
    const witnesses = readWitnesses(project);
    const unharmed = [...sound.waiting].filter(([path]) => isWholeRecord(patient, project, path)).map(([, id]) => id);
    const { error, result } = await runHere(project, ['fsck', '--full', '--repair']);
    const refused =
      error !== null || (result as FsckResult).repaired.some((done) => done.startsWith('Repaired nothing: '));
    const now = await readPointerState(patient, project);
    const whole = (oids: readonly string[]): boolean =>
      oids.every((oid) => damaged.has(`object ${oid}`) || now.has(`object ${oid}`));
    // A store that is refused as it stands is not touched: what cannot be read there is named each time.
    const state: State = { project, sound, harms, witnesses, whole, now, refused, mended };
    judgeState(state, patient, unharmed);
    return mended;
  } finally {
    removeProject(project);
  }
}

interface State {
  project: string;
  sound: Sound;
  harms: readonly RandomHarm[];
  witnesses: Witnesses;
  whole: (oids: readonly string[]) => boolean;
  now: Readable;
  refused: boolean;
  mended: Mended;
}

function judgeState(state: State, patient: Patient, unharmed: readonly string[]): void {
  const { project, sound, now, mended } = state;
  const refs = attempt(() => openProject(project).refs);
  if (refs === undefined) return;
  for (const line of sound.lines) {
    const value = readRef(refs, line.ref);
    const loss = judgePointer(state, line, value);
    mended.pointers += 1;
    if (loss) mended.losses.push(`${line.ref} ${loss}`);
    if (typeof value === 'string' && line.ref !== MAIN) judgeRecords(state, patient, line, value);
  }
  mended.pointers += 1;
  const loss = judgeStage(state, refs);
  if (loss) mended.losses.push(`STAGE ${loss}`);
  for (const id of unharmed) {
    mended.records += 1;
    if (now.get(`record ${id}`) !== patient.picture.records.get(id)?.[0])
      mended.losses.push(`record ${id}, which waited unharmed, is gone or another`);
  }
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** The value of a pointer; undefined where it cannot be read. */
const readRef = (refs: Refs, ref: string): string | null | undefined => attempt(() => refs.read(ref));

/** Returns the fault in a pointer's present value. */
function judgePointer(state: State, line: Line, value: string | null | undefined): string | null {
  const { ref, steps, goal } = line;
  if (value === steps[0]?.oid || (value !== undefined && value === goal)) return null;
  const at = steps.findIndex(({ oid }) => oid === value);
  // If nothing shows the earlier value, a name of no object stays: it is damage that is named, and leads nowhere.
  const isNowhere = value && at < 0 && !state.now.has(`object ${value}`);
  if (value && at < 0 && !isNowhere) return `names ${value}, which it never has`;
  // A refused pointer is named, and its value is not shown at all; the absence of another than main would be reported.
  if (state.refused && (value === undefined || (value === null && ref === MAIN))) return null;
  const newer = at < 0 ? steps : steps.slice(0, at);
  // An open session cannot go on from a step whose records are gone.
  const needs = ({ own, told }: Step): string[] => (ref.startsWith(SESSIONS) ? [...own, ...told] : own);
  const best = newer.find((step) => state.whole(needs(step)) && state.witnesses.tell(ref, step.oid));
  const place =
    value === null ? 'is absent' : value === undefined || isNowhere ? 'is left damaged' : `is set back to ${value}`;
  return best ? `${place}, while ${best.oid} is whole and told of` : null;
}

/** Returns the fault in the session that is the current one now. */
function judgeStage({ sound, harms, witnesses, refused }: State, refs: Refs): string | null {
  const value = attempt(() => refs.stage());
  const [old] = sound.stage;
  // A value that names no session at all is reported as damage, and stays if nothing could be repaired.
  const isNone = value === undefined || (value !== null && typeof readRef(refs, value) !== 'string');
  if (isNone ? refused : sound.stage.includes(value)) return null;
  // Nobody can know that it was there.
  if (value === null && harms.some(({ path, what }) => path === 'STAGE' && what === 'deleted')) return null;
  const isTold = old && witnesses.tell('STAGE', old) && typeof readRef(refs, old) === 'string';
  return isTold ? `is ${value}, while ${old} is open and told of` : null;
}

/** Every record of the steps that a pointer leads to, as far as they are whole. */
function judgeRecords(state: State, patient: Patient, { steps }: Line, value: string): void {
  const from = Math.max(
    0,
    steps.findIndex(({ oid }) => oid === value),
  );
  for (const { oid, own, told, records } of steps.slice(from)) {
    // Behind a commit that is gone nothing is reached.
    if (!state.whole(own)) return;
    if (!state.whole(told)) continue;
    for (const id of records) {
      state.mended.records += 1;
      if (state.now.get(`record ${id}`) !== patient.picture.records.get(id)?.[0])
        state.mended.losses.push(`record ${id} of step ${oid}, which is whole, is gone or another`);
    }
  }
}

/** Checks if a record that waits is as it was, and so is every object of its that waits beside it. */
function isWholeRecord(patient: Patient, project: string, path: string): boolean {
  if (!isUnharmed(patient, project, path)) return false;
  const { objects } = JSON.parse(readFileSync(join(patient.project, '.ctx', path), 'utf8')) as { objects: string[] };
  const beside = objects.map((oid) => join(dirname(path), 'objects', oid));
  return beside.every((one) => !patient.files.includes(one) || isUnharmed(patient, project, one));
}

function isUnharmed(patient: Patient, project: string, path: string): boolean {
  const [was, is] = [join(patient.project, '.ctx', path), join(project, '.ctx', path)];
  try {
    return lstatSync(is).isFile() && readFileSync(is).equals(readFileSync(was));
  } catch {
    return false;
  }
}

/** Checks if anything that is left tells that a pointer had a value. */
interface Witnesses {
  tell: (ref: string, value: string) => boolean;
}

function readWitnesses(project: string): Witnesses {
  const store = join(project, '.ctx');
  const text = (path: string): string => {
    try {
      return lstatSync(join(store, path)).isFile() ? readFileSync(join(store, path), 'latin1') : '';
    } catch {
      return '';
    }
  };
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    const known = texts.get(path) ?? text(path);
    texts.set(path, known);
    return known;
  };
  const moves = attempt(() => [...readableOperations(layoutOf(store))].flatMap((operation) => operation.moves)) ?? [];
  // Everything is read before the repair writes.
  const paths = ['STAGE', 'packed-refs', ...patientRefs(store), ...patientRefs(store).map((ref) => `logs/${ref}`)];
  for (const path of paths) read(path);
  return {
    tell: (ref, value) =>
      [`${value}\n`, `ref: ${value}\n`].includes(texts.get(ref) ?? '') ||
      (texts.get('packed-refs') ?? '').split('\n').includes(`${value} ${ref}`) ||
      new RegExp(`^[0-9a-f]{40} ${value} `, 'm').test(texts.get(`logs/${ref}`) ?? '') ||
      moves.some((move) => move.pointer === ref && move.new === value),
  };
}

/** Every ref that has a file, or a reflog. */
function patientRefs(store: string): string[] {
  const found = new Set<string>();
  for (const top of ['', 'logs/'])
    for (const kind of ['refs/heads', 'refs/sessions', 'refs/archive'])
      for (const name of namesIn(join(store, top, kind))) found.add(`${kind}/${name}`);
  return [...found];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
