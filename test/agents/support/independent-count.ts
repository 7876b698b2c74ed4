// Counts what stands in transcripts without any of our readers, format by format: JSON.parse, sets and sums.
// Prints a table for a folder: npx tsx test/agents/support/independent-count.ts <folder>
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAll } from './independent.ts';
import { FORMATS, type Loose, type Told } from './independent-formats.ts';

export interface FileCount extends Told {
  format: string;
  /** JSON objects, also those that share a line. */
  records: number;
  /** Lines that are not one JSON object. */
  malformed: number;
}

/** The lines of a file. One that is a document has a line for each message, and one for what stands around them. */
function linesOf(text: string): string[] {
  const document = parsed(text);
  if (Array.isArray(document?.messages)) {
    const { messages, ...around } = document;
    return [around, ...messages].map((record) => JSON.stringify(record));
  }
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function parsed(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMalformed(line: string): boolean {
  const value = parsed(line);
  return typeof value !== 'object' || value === null || Array.isArray(value);
}

/** Counts one file; null where its format is none of these. */
export function countFile(path: string): FileCount | null {
  const lines = linesOf(readFileSync(path, 'utf8'));
  const records = parseAll(lines) as Loose[];
  const format = FORMATS.find(({ is }) => records.some(is));
  if (!format) return null;
  const malformed = lines.filter(isMalformed).length;
  return { format: format.name, records: records.length, malformed, ...format.count(records, lines) };
}

function* filesBelow(path: string): Generator<string> {
  if (statSync(path).isFile()) yield path;
  else for (const name of readdirSync(path).sort()) yield* filesBelow(join(path, name));
}

function print(folder: string): void {
  console.log(['file', 'format', 'records', 'malformed', 'messages', 'tool calls', 'tokens'].join('\t'));
  for (const file of filesBelow(folder)) {
    const count = countFile(file);
    if (!count) continue;
    const { format, records, malformed, messages, calls, tokens } = count;
    console.log([file, format, records, malformed, messages, calls, JSON.stringify(tokens)].join('\t'));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) print(process.argv[2] ?? '.');
