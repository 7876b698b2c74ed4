/** Measures the speed at which runs are recorded, and the memory that a million chunks take. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Budget, Row } from './budgets.ts';
import { peakOf } from './peak.ts';
import { runCtx } from './program.ts';
import { makeProject } from './project.ts';
import type { Table } from './table.ts';

/** Milliseconds for 1,000 chunks: 5,000 a second are 200 of them. */
const SPEED: Budget = { must: 200, wanted: 50 };
const MEMORY: Budget = { must: 200, wanted: 100 };
const [FEW, MANY] = [10_000, 1_000_000];

const WORDS =
  'The client tries three times now, and waits longer before each attempt; see src/client.ts for the jitter. ';

/** Writes a stream of one message: texts of 2,000 pieces, and a call behind each. */
function writeStream(path: string, chunks: number): void {
  const file = openSync(path, 'w');
  const pieces = WORDS.split(/(?<= )/);
  const lines: object[] = [{ type: 'start', messageId: 'msg' }, { type: 'start-step' }];
  const flush = (): void => {
    writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    lines.length = 0;
  };
  for (let at = 2, text = 0; at < chunks - 2; text += 1) {
    const id = String(text);
    const call = { toolCallId: `call_${id}`, toolName: 'read' };
    lines.push({ type: 'text-start', id });
    const room = Math.min(2000, chunks - 6 - at);
    for (let piece = 0; piece < room; piece += 1)
      lines.push({ type: 'text-delta', id, delta: pieces[piece % pieces.length] });
    lines.push({ type: 'text-end', id }, { type: 'tool-input-available', ...call, input: { path: 'src/client.ts' } });
    lines.push({ type: 'tool-output-available', toolCallId: call.toolCallId, output: WORDS });
    at += Math.max(0, room) + 4;
    flush();
  }
  lines.push({ type: 'finish-step' }, { type: 'finish' });
  flush();
  closeSync(file);
}

export async function recordTables(workshop: string): Promise<Table[]> {
  const rows: Row[] = [];
  const memory: Row[] = [];
  for (const chunks of [FEW, MANY]) {
    const name = `record-${chunks}`;
    process.stderr.write(`record: ${chunks.toLocaleString('en')} chunks\n`);
    const project = makeProject(workshop, name, {});
    runCtx(project, 'stage', 'start', '--replace', 'a run');
    const file = join(workshop, `${name}.ndjson`);
    writeStream(file, chunks);
    const { bytes, seconds } = await peakOf(project, ['record'], file);
    const label = `\`record\` of ${chunks.toLocaleString('en')} chunks`;
    const beside = `${seconds.toFixed(1)} s`;
    rows.push({ name: label, figure: (seconds * 1e6) / chunks, beside, budget: SPEED });
    memory.push({ name: label, figure: bytes / 1e6, beside, budget: MEMORY });
  }
  return [
    {
      title: 'Recording',
      about:
        'Milliseconds for 1,000 chunks of a stream, from the start of the program to the step with the message, of one run.',
      headings: ['time', 'in all'],
      unit: ' ms',
      rows,
    },
    {
      title: 'Memory of recording',
      about: 'The most memory that the process held (1 MB = 1,000,000 bytes).',
      headings: ['peak', 'time'],
      unit: ' MB',
      rows: memory,
    },
  ];
}
