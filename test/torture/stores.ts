/** The store that every case begins with: made once, copied for each case. */
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { initRepository } from '../../src/app/init.ts';
import { runHere } from './in-process.ts';
import { NOW, ROOT, runGit } from './program.ts';
import { longTranscript, transcriptOfWrite } from './transcript.ts';

/** A text that is too long for a record, also for one that waits. */
const LONG = 'The output of a long run, line after line.\n'.repeat(900);

/** Template with which a case begins: no store at all, one with an open session, one where none is active. */
export type Base = 'empty' | 'open' | 'closed';

/** Runs a command that must succeed. */
export async function must(project: string, words: readonly string[], input = '', now = NOW): Promise<unknown> {
  const { result, error } = await runHere(project, words, input, now);
  if (error) throw new Error(`preparing a store: ctx ${words.join(' ')}: ${error.code}: ${error.message}`);
  return result;
}

/** Git itself must be content with what it is asked to do. */
async function mustGit(project: string, words: readonly string[]): Promise<void> {
  const run = await runGit(project, words);
  if (run.code !== 0) throw new Error(`git ${words.join(' ')}: ${run.err}`);
}

function writeProject(project: string): void {
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src', 'client.ts'), `export const client = 1;\n${'// a line\n'.repeat(50)}`);
  writeFileSync(join(project, 'src', 'server.ts'), 'export const server = 2;\n');
  writeFileSync(join(project, 'output.txt'), LONG);
  for (const name of ['rewind.jsonl', 'questions.jsonl'])
    cpSync(join(ROOT, 'fixtures', 'claude-code', name), join(project, name));
  writeFileSync(join(project, 'long.jsonl'), longTranscript());
  writeFileSync(join(project, 'same.jsonl'), transcriptOfWrite('src/client.ts', CLIENT));
}

/** Content of a file that waits to be flushed. */
const CLIENT = 'export const client = 3;\n';

/** Makes the three templates in a folder; gives where each one lies. */
export async function makeTemplates(workshop: string): Promise<Record<Base, string>> {
  const place = (base: Base): string => join(workshop, `template-${base}`);
  writeProject(place('empty'));
  writeProject(place('closed'));
  initRepository({ directory: place('closed'), clock: () => NOW, tracked: true });
  const run = (words: readonly string[], input?: string): Promise<unknown> => must(place('closed'), words, input);
  await run(['stage', 'start', 'Add retry with backoff']);
  await run(['observe', 'write', 'src/client.ts', '--flush']);
  await run(['observe', 'note', 'Decision: full jitter']);
  await run(['stage', 'done', 'Retry added']);
  await run(['stage', 'confirm']);
  // From here on there are packs and packed refs too, as Git leaves them.
  await mustGit(place('closed'), ['gc', '-q']);
  await run(['stage', 'start', 'Fix the flaky test']);
  await run(['observe', 'read', 'src/server.ts', '--flush']);
  await mustGit(place('closed'), ['pack-refs', '--all']);
  await run(['stage', 'abort', '--reason', 'Superseded']);
  await writeBundle(join(workshop, 'elsewhere'), join(place('closed'), 'elsewhere.bundle'));
  cpSync(place('closed'), place('open'), { recursive: true });
  await openSessions(place('open'));
  return { empty: place('empty'), open: place('open'), closed: place('closed') };
}

/** Writes the bundle of another store, with a session that has ended and one that is open. */
async function writeBundle(project: string, file: string): Promise<void> {
  writeProject(project);
  initRepository({ directory: project, clock: () => NOW, tracked: true });
  await must(project, ['stage', 'start', 'Log each retry']);
  await must(project, ['observe', 'write', 'src/server.ts', '--flush']);
  await must(project, ['stage', 'done', 'Each is logged']);
  await must(project, ['stage', 'confirm']);
  await must(project, ['stage', 'start', 'Count the retries']);
  await must(project, ['observe', 'note', 'Decision: a counter for each host']);
  await must(project, ['export', '--all', '-o', file]);
}

/** Two open sessions: one beside, and the current one with steps, files, and records that wait, large ones among them. */
async function openSessions(project: string): Promise<void> {
  const run = (words: readonly string[], input?: string): Promise<unknown> => must(project, words, input);
  await run(['stage', 'start', 'Write the changelog']);
  await run(['observe', 'note', 'It waits beside']);
  await run(['stage', 'start', '--beside', 'Limit the number of retries']);
  await run(['observe', 'read', 'src/client.ts', 'src/server.ts']);
  await run(['stage', 'flush']);
  await mustGit(project, ['pack-refs', '--all']);
  await run(['observe', 'note', 'Three tries are enough', '--flush']);
  await run(['observe', 'note', '-'], LONG);
  await run(['observe', 'command', '--exit-code', '1', '--output', 'output.txt', '--', 'npm', 'test']);
  writeFileSync(join(project, 'src', 'client.ts'), CLIENT);
  await run(['observe', 'write', 'src/client.ts']);
}

let copies = 0;

/** A project in memory: its folders and files, read once, written for each case. */
export interface Image {
  folders: string[];
  files: [path: string, content: Buffer][];
  /** Further names of files: a lock of ours is known by its second name. */
  links: [path: string, first: string][];
}

const images = new Map<string, Image>();

/** Copies a project; the copy is the case's own. What is copied may not change afterwards. */
export function copyProject(from: string, workshop: string, withStore = true): string {
  copies += 1;
  const project = join(workshop, `case-${copies}`);
  const image = images.get(from) ?? readImage(from);
  images.set(from, image);
  writeImage(withStore ? image : withoutStore(image), project);
  return project;
}

/** The user's own files of a project. */
const withoutStore = ({ folders, files }: Image): Image => ({
  folders: folders.filter((path) => !path.startsWith('.ctx')),
  files: files.filter(([path]) => !path.startsWith('.ctx')),
  links: [],
});

/** Notes that a project which was copied has changed since. */
export function changeProject(project: string): void {
  images.delete(project);
}

/** Writes a project where none is, or what is missing of it. */
export function writeImage(image: Image, project: string): void {
  mkdirSync(project, { recursive: true });
  for (const folder of image.folders) mkdirSync(join(project, folder), { recursive: true, mode: 0o700 });
  for (const [path, content] of image.files) {
    writeFileSync(join(project, path), content, { mode: 0o600 });
    // The date of a transcript is its time of writing.
    if (path.endsWith('.jsonl') && !path.startsWith('.ctx')) utimesSync(join(project, path), NOW, NOW);
  }
  for (const [path, first] of image.links)
    if (!existsSync(join(project, path))) linkSync(join(project, first), join(project, path));
}

/** Reads a project into memory. */
export function readImage(from: string): Image {
  const image: Image = { folders: [], files: [], links: [] };
  const names = new Map<number, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        image.folders.push(path);
        read(path);
        continue;
      }
      if (entry.isSocket()) continue;
      const { ino } = statSync(join(from, path));
      const first = names.get(ino);
      if (first !== undefined) image.links.push([path, first]);
      else image.files.push([path, readFileSync(join(from, path))]);
      names.set(ino, first ?? path);
    }
  };
  read('.');
  return image;
}

/** `rmSync` asks for each file what it is, which takes twice as long. */
function removeFolder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) removeFolder(path);
    else unlinkSync(path);
  }
  rmdirSync(folder);
}

export function removeProject(project: string): void {
  images.delete(project);
  try {
    if (existsSync(project)) removeFolder(project);
  } catch {
    // A Git whose ctx was killed may be at work in it still.
    rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  }
}
