/** Measures the ingest of a folder of transcripts: time, memory, and the size of the store before and after `gc`. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { INGEST, MEMORY, PACKED } from './budgets.ts';
import { writeFolder } from './generate-folder.ts';
import { peakOf } from './peak.ts';
import { makeProject } from './project.ts';
import type { Table } from './table.ts';

const MEGABYTE = 1_000_000;
const BYTES = 500 * MEGABYTE;

/** Bytes of all files below a folder. */
function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => lstatSync(join(folder, name)))
    .filter((stat) => stat.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

export async function ingestTables(workshop: string): Promise<Table[]> {
  const folder = join(workshop, 'transcripts');
  process.stderr.write('ingest: writing transcripts\n');
  const bytes = writeFolder(folder, BYTES);
  const count = readdirSync(folder).length;
  const project = makeProject(workshop, 'ingest', { fsync: false, auto_compact_threshold: '36500d' });
  const store = join(project, '.ctx');
  process.stderr.write('ingest: taking them in\n');
  const taken = await peakOf(project, ['ingest', '--here', folder]);
  const loose = sizeOf(store);
  process.stderr.write('ingest: again\n');
  const again = await peakOf(project, ['ingest', '--here', folder]);
  process.stderr.write('ingest: gc\n');
  const packing = await peakOf(project, ['gc']);
  const packed = sizeOf(store);
  const megabytes = bytes / MEGABYTE;
  const time = (seconds: number): string => `${seconds.toFixed(0)} s (${(megabytes / seconds).toFixed(1)} MB/s)`;
  const what = `${megabytes.toFixed(0)} MB in ${count} transcripts of Claude Code and Codex, whose texts are pieces of this project's own`;
  return [
    {
      title: 'Ingesting a folder: time',
      about: `${what}: how long a megabyte takes, once; 33 ms are 30 MB/s.`,
      headings: ['time of 1 MB', 'in all'],
      unit: ' ms',
      rows: [
        {
          name: '`ingest`, fsync off',
          figure: (taken.seconds * 1000) / megabytes,
          beside: time(taken.seconds),
          budget: INGEST,
        },
        {
          name: '`ingest` again',
          figure: (again.seconds * 1000) / megabytes,
          beside: time(again.seconds),
          budget: null,
        },
        { name: '`gc`', figure: (packing.seconds * 1000) / megabytes, beside: time(packing.seconds), budget: null },
      ],
    },
    {
      title: 'Ingesting a folder: memory',
      about: 'The most memory that the process held (1 MB = 1,000,000 bytes).',
      headings: ['peak', ''],
      unit: ' MB',
      rows: [
        { name: '`ingest`', figure: taken.bytes / MEGABYTE, beside: '', budget: MEMORY },
        { name: '`ingest` again', figure: again.bytes / MEGABYTE, beside: '', budget: MEMORY },
      ],
    },
    {
      title: 'Ingesting a folder: size',
      about: 'Bytes of the store to those of the transcripts.',
      headings: ['share', 'bytes'],
      unit: '',
      rows: [
        { name: 'before `gc`', figure: loose / bytes, beside: `${(loose / MEGABYTE).toFixed(0)} MB`, budget: null },
        { name: 'after `gc`', figure: packed / bytes, beside: `${(packed / MEGABYTE).toFixed(0)} MB`, budget: PACKED },
      ],
    },
  ];
}
