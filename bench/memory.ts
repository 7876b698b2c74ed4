/** Measures the memory that commands hold at most over transcripts of 100 MB and a payload of 200 MB. */
import { appendFileSync, closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY, type Row } from './budgets.ts';
import { DOCUMENTS, writeDocument } from './generate-document.ts';
import { writeFolder } from './generate-folder.ts';
import { writeRollout } from './generate-rollout.ts';
import { writeTranscript } from './generate-transcript.ts';
import { peakOf } from './peak.ts';
import { runCtx } from './program.ts';
import { makeProject, writeSettings } from './project.ts';

const MEGABYTE = 1_000_000;
const TRANSCRIPT = 100 * MEGABYTE;
/** Bytes of one of many transcripts. */
const SMALL = 250_000;
const PAYLOAD = 200 * MEGABYTE;

/** A command to look at. */
interface Task {
  name: string;
  words: readonly string[];
  /** File whose bytes come through standard input. */
  input?: string;
  /** Bytes that it reads, where its speed is worth telling. */
  bytes?: number;
  prepare?: () => void;
}

async function measure(project: string, tasks: readonly Task[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, words, input, bytes, prepare } of tasks) {
    process.stderr.write(`memory: ${name}\n`);
    prepare?.();
    const peak = await peakOf(project, words, input);
    const speed = bytes === undefined ? '' : ` (${(bytes / MEGABYTE / peak.seconds).toFixed(1)} MB/s)`;
    const beside = `${peak.seconds.toFixed(1)} s${speed}`;
    rows.push({ name, figure: peak.bytes / MEGABYTE, beside, budget: MEMORY });
  }
  return rows;
}

/** Runs the commands on a long conversation, from its first ingest to the history that holds it. */
async function overTranscript(workshop: string): Promise<Row[]> {
  // The fixture is of some time ago; its session must not be put away for that while it is looked at.
  const project = makeProject(workshop, 'transcript', { fsync: false, auto_compact_threshold: '36500d' });
  runCtx(project, 'stage', 'compact');
  const file = join(workshop, 'transcript.jsonl');
  const more = writeTranscript(file, TRANSCRIPT);
  const ingest = ['ingest', file];
  const bundle = join(workshop, 'transcript.bundle');
  const other = makeProject(workshop, 'import', { fsync: false });
  // Every copy of the fixture says it.
  const forget = ['forget', '--text', 'exponential'];
  return measure(project, [
    { name: '`ingest`, fsync off', words: ingest, bytes: statSync(file).size },
    { name: '`ingest` again', words: ingest },
    { name: '`ingest` of 74 KB more', words: ingest, prepare: () => appendFileSync(file, more) },
    { name: '`stage status`', words: ['stage', 'status'] },
    { name: '`stage recover`', words: ['stage', 'recover'] },
    { name: '`show STAGE --json`', words: ['show', 'STAGE', '--json'] },
    { name: '`show STAGE --steps`', words: ['show', 'STAGE', '--steps'] },
    { name: '`export`', words: ['export', '-o', bundle], bytes: TRANSCRIPT },
    { name: '`import`, fsync off', words: ['-C', other, 'import', bundle], bytes: TRANSCRIPT },
    { name: '`stage compact`', words: ['stage', 'compact'] },
    { name: '`show HEAD --json`', words: ['show', 'HEAD', '--json'] },
    { name: '`diff HEAD~1 HEAD`', words: ['diff', 'HEAD~1', 'HEAD'] },
    { name: '`log --stat`', words: ['log', '--stat'] },
    { name: '`du`', words: ['du'] },
    { name: '`fsck --full`', words: ['fsck', '--full'] },
    { name: '`secrets scan`', words: ['secrets', 'scan'] },
    { name: '`forget --text`, a dry run', words: [...forget, '--dry-run'] },
    { name: '`forget --text`', words: [...forget, '--yes'] },
  ]);
}

/** The same of another agent: what it costs to take it in. */
async function overRollout(workshop: string): Promise<Row[]> {
  const project = makeProject(workshop, 'rollout', { fsync: false, auto_compact_threshold: '36500d' });
  const file = join(workshop, 'rollout.jsonl');
  writeRollout(file, TRANSCRIPT);
  const ingest = ['ingest', file];
  return measure(project, [
    { name: '`ingest`, fsync off', words: ingest, bytes: statSync(file).size },
    { name: '`ingest` again', words: ingest },
  ]);
}

/** The same of one that is a single JSON document. */
async function overDocument(workshop: string, fixture: string): Promise<Row[]> {
  const name = fixture.replace('/', '-').replace(/\.jsonl?$/, '');
  const project = makeProject(workshop, name, { fsync: false, auto_compact_threshold: '36500d' });
  const file = join(workshop, `${name}.json`);
  writeDocument(file, fixture, TRANSCRIPT);
  const ingest = ['ingest', file];
  return measure(project, [
    { name: '`ingest`, fsync off', words: ingest, bytes: statSync(file).size },
    { name: '`ingest` again', words: ingest },
  ]);
}

/** The same of hundreds of small ones. */
function overFolder(workshop: string): Promise<Row[]> {
  const project = makeProject(workshop, 'folder', { fsync: false, auto_compact_threshold: '36500d' });
  const folder = join(workshop, 'small');
  const bytes = writeFolder(folder, TRANSCRIPT, SMALL);
  return measure(project, [{ name: '`ingest`, fsync off', words: ['ingest', '--here', folder], bytes }]);
}

/** Writes a text of so many bytes that does not shrink to nothing. */
function writePayload(file: string, bytes: number): void {
  const handle = openSync(file, 'wx');
  let value = 1;
  for (let written = 0; written < bytes; ) {
    const lines = Array.from({ length: 4096 }, (_, index) => {
      value = (value * 48_271) % 2_147_483_647;
      return `${written + index} ${value.toString(36)} not ok - the delay doubles up to ten seconds\n`;
    });
    const text = lines.join('').slice(0, bytes - written);
    written += writeSync(handle, text);
  }
  closeSync(handle);
}

/** Runs the commands on contents that are far too large. */
async function overPayload(workshop: string): Promise<Row[]> {
  const project = makeProject(workshop, 'payload', { fsync: false });
  const file = join(project, 'output.txt');
  writePayload(file, PAYLOAD);
  const command = ['observe', 'command', '--exit-code', '1', '--output', '-', '--', 'npm', 'test'];
  const keepAll = (): void => writeSettings(project, { fsync: false, snapshot_limit: '1GiB' });
  return measure(project, [
    { name: '`observe note -`', words: ['observe', 'note', '-'], input: file, bytes: PAYLOAD },
    { name: '`observe command --output -`', words: command, input: file, bytes: PAYLOAD },
    { name: '`observe write`, beyond snapshot_limit', words: ['observe', 'write', 'output.txt'], bytes: PAYLOAD },
    {
      name: '`observe write`, content kept',
      words: ['observe', 'write', 'output.txt'],
      bytes: PAYLOAD,
      prepare: keepAll,
    },
    { name: '`secrets scan -`', words: ['secrets', 'scan', '-'], input: file, bytes: PAYLOAD },
    { name: '`secrets scan`', words: ['secrets', 'scan'] },
    { name: '`stage status`', words: ['stage', 'status'] },
    { name: '`stage flush`', words: ['stage', 'flush'] },
    { name: '`show STAGE --json`', words: ['show', 'STAGE', '--json'] },
    { name: '`stage compact`', words: ['stage', 'compact'] },
    { name: '`show HEAD --json`', words: ['show', 'HEAD', '--json'] },
    { name: '`diff HEAD~1 HEAD`', words: ['diff', 'HEAD~1', 'HEAD'] },
  ]);
}

/** All of them, one after the other; the names tell which is which. */
export async function memoryRows(workshop: string): Promise<Row[]> {
  const named = (rows: readonly Row[], what: string): Row[] =>
    rows.map((row) => ({ ...row, name: `${row.name} (${what})` }));
  const documents: Row[] = [];
  for (const [agent, fixture] of Object.entries(DOCUMENTS)) {
    documents.push(...named(await overDocument(workshop, fixture), `100 MB document of ${agent}`));
  }
  return [
    ...named(await overTranscript(workshop), '100 MB transcript'),
    ...named(await overRollout(workshop), '100 MB rollout'),
    ...documents,
    ...named(await overFolder(workshop), '100 MB in small transcripts'),
    ...named(await overPayload(workshop), '200 MB payload'),
  ];
}
