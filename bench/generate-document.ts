/** Makes a transcript that is one document of any size: the messages of a fixture again and again, as long as real ones are. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { chance, ownFiles, piecesOf, varied } from './own-text.ts';
import { ROOT } from './program.ts';

/** A conversation of each agent that writes documents; lines are what a newer version of it writes. */
export const DOCUMENTS = { 'Gemini CLI': 'gemini/steps.jsonl', opencode: 'opencode/door.json' };

/** Factor by which texts are longer than in a fixture, which is short so that people can read it. */
const LONGER = 16;
/** Shorter texts stay as they are: what is said in these fixtures is short, too. */
const LEAST = 12;
/** Ids of messages, of their parts and of calls. */
const ID = /"(id|messageID|parentID|callID)":"([^"]+)"/g;
const TIME = /"timestamp":"([^"]+)"|:(1\d{12})\b/g;
/** Time between one copy and the copy before it, in milliseconds. */
const PAUSE = 20 * 60 * 1000;

interface Conversation {
  messages: object[];
}

/** Lines as the document that they would be. */
function asDocument(text: string): Conversation {
  const [header, ...records] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return { ...header, messages: records.filter((record) => 'type' in record) };
}

/** Messages on lines, as they are said once more. */
function again(messages: string, copy: number): string {
  return messages
    .replace(ID, (_, key: string, id: string) => `"${key}":"${id}_${copy}"`)
    .replace(TIME, (_, text: string | undefined, number: string) =>
      text === undefined
        ? `:${Number(number) + copy * PAUSE}`
        : `"timestamp":"${new Date(Date.parse(text) + copy * PAUSE).toISOString()}"`,
    );
}

/** Writes a document of at least so many bytes: one session that goes on and on. */
export function writeDocument(file: string, fixture: string, bytes: number): void {
  const text = readFileSync(join(ROOT, 'fixtures', fixture), 'utf8');
  const { messages, ...fields } = fixture.endsWith('.jsonl') ? asDocument(text) : (JSON.parse(text) as Conversation);
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const piece = piecesOf(ownFiles(), chance());
  const handle = openSync(file, 'wx');
  try {
    let written = writeSync(handle, `${JSON.stringify(fields).slice(0, -1)},"messages":[`);
    for (let copy = 0; written < bytes; copy += 1) {
      const said = varied(again(lines, copy), piece, LONGER, LEAST).trimEnd().replaceAll('\n', ',\n');
      written += writeSync(handle, `${copy === 0 ? '' : ',\n'}${said}`);
    }
    writeSync(handle, ']}\n');
  } finally {
    closeSync(handle);
  }
}
