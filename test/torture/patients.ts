/** The stores that random damage is done to: small ones, each with something that only it has. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cutOff } from './cut-off.ts';
import { makeSmallStore } from './damage.ts';
import { type Picture, takePicture } from './picture.ts';
import { runGit } from './program.ts';
import type { Bench } from './stage.ts';
import { type Image, must, readImage } from './stores.ts';

/** A store that damage is done to, and what it holds while it is sound. */
export interface Patient {
  name: string;
  project: string;
  image: Image;
  /** Its files below `.ctx`, in order. */
  files: string[];
  picture: Picture;
  /** Every object, by Git's own account, and every one that lies beside a record that waits. */
  objects: string[];
  /** Command lines that may be asked of it. */
  commands: (readonly string[])[];
}

/** Too long to wait within its record. */
const LONG = 'A long text, line after line.\n'.repeat(1_200);

/** Builds one of them in a folder. */
type Build = (project: string, bench: Bench) => Promise<void>;

const BUILDS: Record<string, Build> = {
  loose: (project) => makeSmallStore(project, false),
  packed: async (project) => {
    await makeSmallStore(project, false);
    await runGit(project, ['gc', '-q']);
  },
  'a ref over an older packed value': (project) => makeSmallStore(project, true),
  'records with payloads wait': async (project) => {
    await makeSmallStore(project, true);
    writeFileSync(join(project, '.ctx', 'settings.json'), '{"ask_threshold":"24h","snapshot_limit":"1MiB"}\n');
    await addWaiting(project);
    await must(project, ['stage', 'start', '--beside', 'Third']);
    await must(project, ['observe', 'note', 'In the third']);
  },
  'an operation was cut off': async (project, bench) => {
    await makeSmallStore(project, true);
    await addWaiting(project);
    await cutOff(project, bench);
  },
};

async function addWaiting(project: string): Promise<void> {
  await must(project, ['observe', 'note', '-'], LONG);
  await must(project, ['observe', 'command', '--exit-code', '1', '--', 'npm', 'test']);
}

/** The command lines that a store is asked: those that look, and those that write. */
function commandsFor(picture: Picture): (readonly string[])[] {
  const [archived = '', open = ''] = [[...picture.archive.keys()][0], [...picture.sessions.keys()][0]];
  return [
    ['stage', 'status'],
    ['stage', 'list'],
    ['log'],
    ['log', '--stat'],
    ['show', 'HEAD'],
    ['show', 'STAGE'],
    ['show', archived, '--steps'],
    ['show', open, '--steps'],
    ['show', picture.line[0] ?? ''],
    ['diff', 'HEAD~1', 'HEAD'],
    ['op', 'log'],
    ['fsck'],
    ['fsck', '--full'],
    ['stage', 'flush'],
    ['observe', 'note', 'One more'],
    ['observe', 'read', 'a.txt', '--flush'],
    ['stage', 'start', '--beside', 'Beside'],
    ['stage', 'compact'],
    ['stage', 'recover'],
    ['undo'],
    ['gc'],
  ];
}

/** Objects of a store, as Git lists them, and those in `pending/`. */
async function objectsOf(project: string, files: readonly string[]): Promise<string[]> {
  const listed = await runGit(project, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']);
  const waiting = files.map((path) => /^pending\/.*\/objects\/([0-9a-f]{40})$/.exec(path)?.[1]);
  return [...new Set([...listed.out.trim().split('\n'), ...waiting.filter((oid) => oid !== undefined)])];
}

/** Makes all of them. */
export async function makePatients(bench: Bench): Promise<Patient[]> {
  const patients: Patient[] = [];
  for (const [name, build] of Object.entries(BUILDS)) {
    const project = join(bench.workshop, `patient-${patients.length}`);
    await build(project, bench);
    const image = readImage(project);
    const inStore = image.files
      .filter(([path]) => path.startsWith('.ctx/'))
      .map(([path]) => path.slice('.ctx/'.length));
    const files = [...inStore, ...image.links.map(([path]) => path.slice('.ctx/'.length))].sort();
    const picture = takePicture(project);
    const objects = await objectsOf(project, files);
    patients.push({ name, project, image, files, picture, objects, commands: commandsFor(picture) });
  }
  return patients;
}
