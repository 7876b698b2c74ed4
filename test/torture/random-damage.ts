/** Random damage, judged from outside: the real binary is asked of a damaged store, and then mends it. */
import { chmodSync, chownSync, lchownSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wordsOf } from './check.ts';
import { below, chooseHarm, pick, type RandomHarm, UNREADABLE } from './harms.ts';
import { type Ended, launch } from './launch.ts';
import { makePatients, type Patient } from './patients.ts';
import { shapeOf, takePicture } from './picture.ts';
import { NOW, pool, seededRandom } from './program.ts';
import { lostSince, type Readable, readPointerState } from './readable.ts';
import { judgeMended, type Sound, takeDown } from './repair-check.ts';
import type { Bench } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { finds, isAboutDamage, mayBeAbsent, namesSomething } from './verdict.ts';

export interface RandomDamageTally {
  /** Note on cases that could not be tried here; empty if there are none. */
  note: string;
  cases: number;
  /** Answers that were right, and errors that named the damage. */
  right: number;
  named: number;
  /** Repairs that did something. */
  mended: number;
  /** Pointers and records that were compared, after a repair, with those of before the damage. */
  pointers: number;
  records: number;
  losses: string[];
}

/** Longest life of a process before it counts as hanging, in milliseconds: a wait for a lock is half of it. */
const PATIENCE = 20_000;

/** A user that is nobody: root reads what it likes, so a file that is unreadable needs somebody else. */
const NOBODY = 65_534;

function run(
  bench: Bench,
  project: string,
  words: readonly string[],
  user: { uid?: number; gid?: number },
): Promise<Ended> {
  const env = { PATH: process.env['PATH'], HOME: '/dev/null/home', TZ: 'UTC', CTX_NOW: String(NOW) };
  return launch({
    file: process.execPath,
    words: [bench.program, ...words],
    options: { cwd: project, env, timeout: PATIENCE, killSignal: 'SIGKILL', ...user },
  });
}

/** One case: a store, what is done to it, what is asked of it. */
interface Case {
  patient: Patient;
  harms: RandomHarm[];
  words: readonly string[];
}

function chooseCase(patients: readonly Patient[], seed: number): Case {
  const random = seededRandom(seed);
  const patient = pick(random, patients);
  const harms = Array.from({ length: 1 + below(random, 3) }, () => chooseHarm(patient.files, random));
  const words = pick(random, patient.commands);
  return { patient, harms, words: random() < 0.7 ? ['--json', ...words] : words };
}

/** The answer of a store without those of the harms that can be known, and what its pointers are afterwards. */
interface Reference {
  code: number | null;
  answer: string;
  shape: string;
}

interface Run {
  bench: Bench;
  tally: RandomDamageTally;
  references: Map<string, Promise<Reference>>;
  sounds: ReadonlyMap<string, Sound>;
  /** True if a process may be run as nobody, where this one is root. */
  nobody: boolean;
}

/** Values that differ in every run are masked: ids that the sound store does not have, and for `gc` every figure. */
function plain(patient: Patient, words: readonly string[], text: string): string {
  const { picture } = patient;
  const known = [
    ...picture.line,
    ...[...picture.steps.values()].flat(),
    ...picture.sessions.keys(),
    ...picture.archive.keys(),
    ...picture.records.keys(),
  ];
  const masked = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{10,40}\b/g, (id) =>
    known.some((one) => one.startsWith(id)) ? id : '*',
  );
  return words.includes('gc') ? masked.replace(/\d+( KiB| bytes)?/g, '#') : masked;
}

/** Checks if harm leaves nothing that could be known: the thing may as well never have been there. */
const isAbsence = ({ path, what }: RandomHarm): boolean => what === 'deleted' && mayBeAbsent(path);

/** The right answer: that of the sound store, or of one that lacks what may be absent. */
async function referenceOf(state: Run, { patient, harms, words }: Case): Promise<Reference> {
  const absences = harms.filter(isAbsence);
  const key = [patient.name, ...words, ...absences.map(({ path }) => path).sort()].join('\0');
  const make = async (): Promise<Reference> => {
    const project = copyProject(patient.project, state.bench.workshop);
    for (const harm of absences) harm.inflict(join(project, '.ctx'));
    const { code, out } = await run(state.bench, project, words, {});
    const shape = shapeNow(patient, project) ?? '?';
    removeProject(project);
    return { code, answer: plain(patient, words, out), shape };
  };
  const known = state.references.get(key) ?? make();
  state.references.set(key, known);
  return known;
}

/** The pointers of a store, or null where they cannot be read. */
function shapeNow(patient: Patient, project: string): string | null {
  try {
    return shapeOf(patient.picture, takePicture(project));
  } catch {
    return null;
  }
}

/** Returns the misbehaviour of a process that it may never show, whatever it met. */
function misbehaviour({ code, signal, out, err }: Ended): string | null {
  const said = `${out}${err}`;
  if (signal) return `it hung or crashed (${signal})`;
  if (/^\s+at .*:\d+/m.test(said)) return `it shows a stack trace: ${said}`;
  if (code === 70 || /a way it should not/.test(said)) return `it has a bug: ${said}`;
  return null;
}

/** Checks if an answer that is none names what is damaged, with the exit code for it. */
function namesDamage({ code, out, err }: Ended, { harms, words }: Case): boolean {
  const names = (message: string): boolean =>
    namesSomething(message) || harms.some(({ path }) => message.includes(path));
  if (code === 4) return harms.some(({ path, what }) => isInTheWay(`${path} ${what}`, out + err));
  if (code !== 1 && code !== 5) return false;
  // A command that looks at many things names the place of each.
  const tellsOfMany = code === 5 && ['fsck', 'list', 'op'].some((word) => words.includes(word));
  if (!words.includes('--json')) return names(tellsOfMany ? out + err : err);
  const answer = JSON.parse(out) as { ok: boolean; error?: { code: string; message: string } };
  if (!answer.error) return tellsOfMany && (finds(out) || /"damaged":"[^"]/.test(out));
  const { code: kind, message } = answer.error;
  return isAboutDamage(kind) && (kind === 'damaged') === (code === 5) && names(message);
}

/** Checks if a harm makes somebody wait or refuse: a LOCK of another machine's, a pointer that is not where it was left. */
const isInTheWay = (harm: string, said: string): boolean =>
  (harm.includes('LOCK') && /LOCK|busy/.test(said)) || (/STAGE|refs\//.test(harm) && /has moved/.test(said));

/** Checks if what the check prints tells of anything. */
const tells = (words: readonly string[], out: string): boolean =>
  words.includes('--json') ? finds(out) : !/^The store is whole\.$/m.test(out) || /[Nn]ote|leftover/.test(out);

/** Judgement of an answer: a text names what is wrong with it. */
type Verdict = 'right' | 'named' | { wrong: string };

/** @param found what the pointers were before the command */
async function judge(state: Run, one: Case, project: string, ended: Ended, found: string | null): Promise<Verdict> {
  const bad = misbehaviour(ended);
  if (bad) return { wrong: bad };
  const sound = await referenceOf(state, one);
  const answer = plain(one.patient, one.words, ended.out);
  if (ended.code === sound.code && answer === sound.answer) {
    // Pointers that were damaged from the beginning stay so, unless the command has to do with them.
    const untouched = found === shapeOf(one.patient.picture, one.patient.picture);
    const shape = shapeNow(one.patient, project);
    if (!untouched || shape === null || ended.code !== 0 || shape === sound.shape) return 'right';
    return { wrong: `it answers as it should, and leaves the pointers at ${shape}, not ${sound.shape}` };
  }
  const noticed = one.words.includes('fsck') && ended.code === 0 && tells(one.words, ended.out);
  if (noticed || namesDamage(ended, one)) return 'named';
  const said = `${ended.out.slice(0, 300)}${ended.err.slice(0, 300)}`;
  return { wrong: `exit ${ended.code}: ${said} (sound: exit ${sound.code}: ${sound.answer.slice(0, 300)})` };
}

/** Gives a project to nobody. */
function giveAway(project: string): void {
  chownSync(project, NOBODY, NOBODY);
  for (const name of readdirSync(project, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(project, name), NOBODY, NOBODY);
}

/** Checks if a process of nobody's can run the program at all. */
async function canBeNobody(bench: Bench): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const folder = dirname(bench.program);
  for (const way of [bench.workshop, dirname(folder)]) chmodSync(way, 0o711);
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(folder, name), 0o755);
  const trial = await run(bench, '/', ['--version'], { uid: NOBODY, gid: NOBODY }).catch(() => null);
  return trial?.code === 0;
}

/** Selects the things that a command can lose: it may move pointers, and takes no object and no record away. */
const ofStore = (stock: Readable): Readable =>
  new Map([...stock].filter(([name]) => name.startsWith('object ') || name.startsWith('record ')));

/** Does one case from beginning to end; gives the losses. */
async function examine(state: Run, one: Case): Promise<string[]> {
  const { patient, harms } = one;
  const { bench, tally } = state;
  const project = copyProject(patient.project, bench.workshop);
  const user = state.nobody && harms.some(({ what }) => what === UNREADABLE) ? { uid: NOBODY, gid: NOBODY } : {};
  const losses: string[] = [];
  try {
    for (const harm of harms) harm.inflict(join(project, '.ctx'));
    if (user.uid) giveAway(project);
    const first = await readPointerState(patient, project);
    const found = shapeNow(patient, project);
    const verdict = await judge(state, one, project, await run(bench, project, one.words, user), found);
    if (typeof verdict === 'object') losses.push(verdict.wrong);
    else tally[verdict] += 1;
    const second = await readPointerState(patient, project);
    losses.push(...lostSince(ofStore(first), second).map((loss) => `after it ${loss}`));
    const repair = { ...one, words: ['--json', 'fsck', '--full', '--repair'] };
    const mended = await run(bench, project, repair.words, user);
    losses.push(...judgeRepair(mended, repair, verdict === 'named').map((problem) => `fsck --repair: ${problem}`));
    if (hasMended(mended)) tally.mended += 1;
    const third = await readPointerState(patient, project);
    losses.push(...lostSince(second, third).map((loss) => `after fsck --repair ${loss}`));
    const sound = state.sounds.get(patient.name) as Sound;
    const alone = await judgeMended(patient, sound, harms, bench.workshop);
    tally.pointers += alone.pointers;
    tally.records += alone.records;
    losses.push(...alone.losses.map((loss) => `after fsck --repair alone ${loss}`));
  } catch (error) {
    losses.push(wordsOf(error));
  } finally {
    removeProject(project);
  }
  return losses;
}

const hasMended = ({ out }: Ended): boolean => /"repaired":\["/.test(out);

/** Returns the faults in the end of a repair; `known` if a command before it has named damage. */
function judgeRepair(ended: Ended, repair: Case, known: boolean): string[] {
  const bad = misbehaviour(ended);
  if (bad) return [bad];
  if (ended.code !== 0)
    return namesDamage(ended, repair)
      ? []
      : [`exit ${ended.code}: ${ended.out.slice(0, 300)}${ended.err.slice(0, 300)}`];
  return known && !hasMended(ended) && !finds(ended.out) ? ['it knows nothing of the damage that was named'] : [];
}

/** Things with which every case of a process begins: made once. */
interface Ward {
  patients: Patient[];
  sounds: Map<string, Sound>;
  references: Map<string, Promise<Reference>>;
  nobody: boolean;
}

const wards = new Map<string, Promise<Ward>>();

function openWard(bench: Bench): Promise<Ward> {
  const make = async (): Promise<Ward> => {
    const patients = await makePatients(bench);
    const sounds = new Map<string, Sound>();
    for (const patient of patients) sounds.set(patient.name, await takeDown(patient, bench.workshop));
    return { patients, sounds, references: new Map(), nobody: await canBeNobody(bench) };
  };
  const ward = make();
  wards.set(bench.workshop, ward);
  return ward;
}

/** Does `count` random cases, the seeds of which follow one another. */
export async function runRandomDamage(bench: Bench, count: number, seed = 1): Promise<RandomDamageTally> {
  const { patients, sounds, references, nobody } = await (wards.get(bench.workshop) ?? openWard(bench));
  const skipped = process.getuid?.() === 0 && !nobody ? '; unreadable files skipped: root reads everything' : '';
  const counts = { cases: 0, right: 0, named: 0, mended: 0, pointers: 0, records: 0 };
  const state: Run = { bench, tally: { note: skipped, ...counts, losses: [] }, references, sounds, nobody };
  await pool(
    Array.from({ length: count }, (_, index) => seed + index),
    async (number) => {
      const one = chooseCase(patients, number);
      state.tally.cases += 1;
      const done = one.harms.map(({ path, what }) => `${path} ${what}`).join(', ');
      const where = `seed ${number}, ${one.patient.name}: ${done}; ctx ${one.words.join(' ')}`;
      state.tally.losses.push(...(await examine(state, one)).map((loss) => `${where}: ${loss}`));
    },
  );
  return state.tally;
}
