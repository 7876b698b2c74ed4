/** The damage that a repair under torture begins with: always one that can be mended whole, from what is left. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cutOff } from './cut-off.ts';
import type { Picture } from './picture.ts';
import { runGit } from './program.ts';
import type { Bench } from './stage.ts';

/** A project that was sound a moment ago. */
interface Patient {
  project: string;
  picture: Picture;
  /** Program and place for the trials of a process that is to be killed. */
  bench: Pick<Bench, 'workshop' | 'program'>;
}

/** Does the damage; gives the bytes that must stand in `lost/` after a repair. */
type Wound = (patient: Patient) => Promise<Buffer[]> | Buffer[];

/** Leaves the first half of a file. */
function tear(path: string): Buffer[] {
  const whole = readFileSync(path);
  const torn = whole.subarray(0, Math.floor(whole.length / 2));
  writeFileSync(path, torn);
  return [torn];
}

/** Turns a bit over in the first of the files of packs that have an ending, at a place from its end. */
function flip(patient: Patient, ending: string, fromEnd: number): Buffer[] {
  const folder = join(storeOf(patient), 'objects', 'pack');
  const path = join(folder, readdirSync(folder).filter((name) => name.endsWith(ending))[0] ?? '');
  const bytes = readFileSync(path);
  bytes[bytes.length - fromEnd] = (bytes[bytes.length - fromEnd] as number) ^ 1;
  rmSync(path);
  writeFileSync(path, bytes, { mode: 0o600 });
  return [bytes];
}

const storeOf = ({ project }: Patient): string => join(project, '.ctx');

/** The current session's ref: a loose one, over an older packed value. */
const currentOf = (patient: Patient): string => join(storeOf(patient), patient.picture.stage ?? '');

export const WOUNDS = {
  'torn STAGE': (patient) => tear(join(storeOf(patient), 'STAGE')),
  'torn ref of a session': (patient) => tear(currentOf(patient)),
  'torn packed-refs': (patient) => tear(join(storeOf(patient), 'packed-refs')),
  'a ref is behind': (patient) => {
    rmSync(currentOf(patient));
    return [];
  },
  'a ref is gone, and its reflog': (patient) => {
    // The operation that archived the session tells of it.
    const ref = `refs/archive/${[...patient.picture.archive.keys()].sort().at(-1)}`;
    const packed = join(storeOf(patient), 'packed-refs');
    const lines = readFileSync(packed, 'utf8').split('\n');
    writeFileSync(packed, lines.filter((line) => !line.endsWith(` ${ref}`)).join('\n'));
    for (const top of ['', 'logs']) rmSync(join(storeOf(patient), top, ref), { force: true });
    return [];
  },
  'a torn object that a pack holds': async (patient) => {
    const oid = patient.picture.line.at(-1) ?? '';
    const path = join(storeOf(patient), 'objects', oid.slice(0, 2), oid.slice(2));
    const { out } = await runGit(patient.project, ['cat-file', 'commit', oid]);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, out.slice(0, 20), { mode: 0o600 });
    return [Buffer.from(out.slice(0, 20))];
  },
  // The beginning of the last object of the pack, by its index.
  'a wrong pack index': (patient) => flip(patient, '.idx', 41),
  'a pack with a wrong end': (patient) => flip(patient, '.pack', 1),
  'LOCK of a compaction that was cut off': async ({ project, bench }) => {
    // Main has moved, no other pointer has.
    await cutOff(project, bench, 40);
    return [];
  },
} satisfies Record<string, Wound>;

export type WoundName = keyof typeof WOUNDS;

/** Wounds a project that is sound; gives the bytes that must stand in `lost/` after a repair. */
export const wound = async (name: WoundName, patient: Patient): Promise<Buffer[]> => (WOUNDS[name] as Wound)(patient);
