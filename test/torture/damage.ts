/** Damage: bytes flipped, files cut off, emptied, deleted, unreadable or replaced; every answer is right, or names what is damaged. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initRepository } from '../../src/app/init.ts';
import type { CtxError } from '../../src/core/errors.ts';
import { filesOf } from './check.ts';
import { runHere } from './in-process.ts';
import { NOW, runGit, seededRandom } from './program.ts';
import { copyProject, type Image, must, readImage, writeImage } from './stores.ts';
import { finds, isAboutDamage, mayBeAbsent, namesSomething } from './verdict.ts';

/** Commands that only look: they are asked first, in the damaged store itself. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['stage', 'status'],
  ['log', '--stat'],
  ['show', 'HEAD'],
  ['show', 'STAGE'],
  ['fsck', '--full'],
];
/** The command that writes; what it gives is compared but for what is new each time. */
const FLUSH = ['stage', 'flush'] as const;

export interface DamageTally {
  title: string;
  /** Things that were done to files. */
  harms: number;
  cases: number;
  /** Answers that were right, and errors that named the damage. */
  right: number;
  named: number;
  losses: string[];
}

/** Most bytes of a store whose every byte is flipped. */
const LARGEST = 20 * 1024;

/** A small store with a bit of everything: history, an open session with steps, records that wait, packed refs, operations. */
export async function makeSmallStore(project: string, packed: boolean): Promise<void> {
  mkdirSync(project);
  writeFileSync(join(project, 'a.txt'), 'a\n');
  initRepository({ directory: project, clock: () => NOW, tracked: true });
  await must(project, ['stage', 'start', 'First']);
  await must(project, ['observe', 'note', 'Done soon', '--flush']);
  await must(project, ['stage', 'compact']);
  await must(project, ['stage', 'start', 'Second']);
  await must(project, ['observe', 'read', 'a.txt', '--flush']);
  // The head that comes after stands in a file of its own over an older packed one.
  if (packed) await runGit(project, ['gc', '-q']);
  await must(project, ['observe', 'note', 'After all', '--flush']);
  await must(project, ['observe', 'note', 'It waits']);
}

/** The output of a command: its answer as text, or its error. */
interface Said {
  answer: string | null;
  error: CtxError | null;
  bug: string | null;
}

async function ask(project: string, words: readonly string[]): Promise<Said> {
  try {
    const { result, error } = await runHere(project, words);
    return { answer: error ? null : JSON.stringify(result), error, bug: null };
  } catch (error) {
    return { answer: null, error: null, bug: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Something that happens to a file of the store. */
interface Harm {
  path: string;
  what: string;
  inflict: (path: string) => void;
}

interface Patient {
  project: string;
  image: Image;
  sound: Map<string, Said>;
  tally: DamageTally;
}

/** Checks if nobody can know that the harm was ever done. */
const isAbsence = ({ path, what }: Harm): boolean => what === 'deleted' && mayBeAbsent(path);

/** Judges what was said of a damaged store. */
function judge(patient: Patient, harm: Harm, words: readonly string[], said: Said): void {
  const { tally, sound } = patient;
  const line = words.join(' ');
  const name = `${harm.path} ${harm.what}, ctx ${line}`;
  tally.cases += 1;
  if (said.bug) tally.losses.push(`${name}: ${said.bug}`);
  else if (said.error) {
    if (isAboutDamage(said.error.code) && namesSomething(said.error.message)) tally.named += 1;
    else if (isAbsence(harm) && said.error.code === 'no_active_session') tally.right += 1;
    else tally.losses.push(`${name}: ${said.error.code}: ${said.error.message}`);
  } else if (words[0] === 'fsck' ? finds(said.answer) : false) tally.named += 1;
  else if (same(words, said.answer, sound.get(line)?.answer ?? null) || isAbsence(harm)) tally.right += 1;
  else tally.losses.push(`${name}: it answers ${said.answer?.slice(0, 300)}`);
}

/** Checks if an answer is that of the sound store; what a flush makes is new each time. */
function same(words: readonly string[], answer: string | null, sound: string | null): boolean {
  const plain = (text: string | null): string | undefined =>
    words === FLUSH ? text?.replace(/"oid":"[0-9a-f]{40}"/, '') : (text ?? undefined);
  return plain(answer) === plain(sound);
}

/** Inflicts a harm and asks everything; the store is whole again afterwards. */
async function examine(patient: Patient, harm: Harm): Promise<void> {
  const { project, image } = patient;
  harm.inflict(join(project, '.ctx', harm.path));
  for (const words of QUESTIONS) judge(patient, harm, words, await ask(project, words));
  judge(patient, harm, FLUSH, await ask(project, FLUSH));
  rmSync(join(project, '.ctx'), { recursive: true, force: true });
  writeImage(image, project);
}

const replaceBy =
  (make: (path: string) => void) =>
  (path: string): void => {
    rmSync(path, { recursive: true, force: true });
    make(path);
  };

/** Everything that is done to one file: `every` n-th byte is flipped. */
function* harmsOf(path: string, content: Buffer, every: number, random: () => number): Generator<Harm> {
  for (let at = Math.floor(random() * every); at < content.length; at += every) {
    const damaged = Buffer.from(content);
    damaged[at] = (content[at] as number) ^ (1 << Math.floor(random() * 8));
    yield { path, what: `with byte ${at} flipped`, inflict: (file) => writeFileSync(file, damaged) };
  }
  for (let part = 1; part <= 16; part += every > 1 ? 5 : 1) {
    const length = Math.floor((content.length * part) / 17);
    yield { path, what: `cut to ${length} bytes`, inflict: (file) => writeFileSync(file, content.subarray(0, length)) };
  }
  yield { path, what: 'emptied', inflict: (file) => writeFileSync(file, '') };
  yield { path, what: 'deleted', inflict: (file) => rmSync(file) };
  yield { path, what: 'replaced by a folder', inflict: replaceBy((file) => mkdirSync(file)) };
  yield {
    path,
    what: 'replaced by a dangling link',
    inflict: replaceBy((file) => symlinkSync('/nonexistent/file', file)),
  };
  yield { path, what: 'replaced by a link to itself', inflict: replaceBy((file) => symlinkSync(file, file)) };
  // Root reads what it likes: there the mode says nothing.
  if (process.getuid?.() !== 0) yield { path, what: 'unreadable', inflict: (file) => chmodSync(file, 0o000) };
}

/** Files of which there are many of one kind. */
const ONE_OF_MANY = /^(objects|logs|oplog)\//;

/** Chooses the harms to a file if not all are done: files of one kind take turns with all of them. */
const inTurn = (harms: readonly Harm[], file: number): Harm[] =>
  harms.filter(({ path }, index) => !ONE_OF_MANY.test(path) || index % 3 === file % 3);

/** Damage to do. */
export interface DamageTask {
  /** Kind of store, and the place of one that was made by `makeSmallStore`. */
  kind: string;
  from: string;
  /** 1 for every byte, n for each n-th. */
  every: number;
  /** Of so many shares of it this one, from 0. */
  share: number;
  shares: number;
}

/** Damages every file of a small store, or does its share of that. */
export async function runDamage(workshop: string, task: DamageTask): Promise<DamageTally> {
  const { kind, from, every, share, shares } = task;
  const project = copyProject(from, workshop);
  const image = readImage(from);
  const store = image.files.filter(([path]) => path.startsWith('.ctx/'));
  const size = store.reduce((sum, [, content]) => sum + content.length, 0);
  const how = every === 1 ? 'every byte' : `each ${every}th byte`;
  const root = process.getuid?.() === 0 ? '; unreadable files skipped: root reads everything' : '';
  const title = `${kind}, ${store.length} files, ${size} bytes, ${how}${root}`;
  const tally: DamageTally = { title, harms: 0, cases: 0, right: 0, named: 0, losses: [] };
  if (size > LARGEST) tally.losses.push(`the store has ${size} bytes: too many to flip each`);
  const patient: Patient = { project, image, sound: new Map(), tally };
  for (const words of [...QUESTIONS, FLUSH]) patient.sound.set(words.join(' '), await ask(project, words));
  for (const [words, said] of patient.sound)
    if (said.answer === null) tally.losses.push(`ctx ${words} does not answer on the sound store`);
  rmSync(join(project, '.ctx'), { recursive: true, force: true });
  writeImage(image, project);
  const random = seededRandom(20_260_122);
  const harms = store.flatMap(([path, content], file) => {
    const all = [...harmsOf(path.slice('.ctx/'.length), content, every, random)];
    return every === 1 ? all : inTurn(all, file);
  });
  for (const [index, harm] of harms.entries()) {
    if (index % shares !== share) continue;
    tally.harms += 1;
    await examine(patient, harm);
  }
  if (filesOf(project).length === 0) tally.losses.push('the store is gone: the harness is broken');
  rmSync(project, { recursive: true, force: true });
  return tally;
}
