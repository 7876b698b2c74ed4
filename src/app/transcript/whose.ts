/** Whose a file is, told by what stands in it: looked at as far as a transcript may begin in it, and never held whole. */
import type { Agent } from '../../agents/contract/agent.ts';
import { agentOfRecord, recogniseAgent } from '../../agents/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { JsonSketch } from '../../core/json-sketch.ts';
import { plainPieces } from '../../platform/compressed-file.ts';
import { type LookedAt, lookAtLines } from './look-at-lines.ts';
import { fileStat, PIECE } from './text.ts';

/** Whose a file is. */
export interface Owner {
  agent: Agent;
  /** Byte offset of the first line that tells it: before that there is nothing of the agent's. */
  begins: number;
}

/** Lines that are looked at for whole records behind damage. */
const DAMAGED = 64;
/** How far a document of many lines is looked at, in bytes. */
const DOCUMENT = 128 * 1024 * 1024;

/** What was found last: a file is asked for more than once while it is ingested. */
let last: { key: string; owner: Owner | null } | null = null;

/** Whose transcript a file is, by its content; null where no agent knows it. @throws {CtxError} not_found, invalid_input, io */
export function ownerOf(file: string): Owner | null {
  const { dev, ino, size, mtimeMs, ctimeMs } = fileStat(file);
  const key = [file, dev, ino, size, mtimeMs, ctimeMs].join('\0');
  if (last?.key !== key) last = { key, owner: find(file) };
  return last.owner;
}

function find(file: string): Owner | null {
  let mayBeDocument = false;
  for (const line of lookAtLines(plainPieces(file, PIECE))) {
    if (!line.hasObject) continue;
    const text = line.text.trim();
    const object = line.isWhole ? objectIn(text) : undefined;
    const agent = object ? ofObject(line, text, object) : ofDamaged(line, text);
    if (agent) return { agent, begins: line.at };
    if (line.isFirst) mayBeDocument = text.startsWith('{') && object === undefined;
  }
  return mayBeDocument ? ofDocument(file) : null;
}

/** The object that a text is; undefined where it is none. */
function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Of a line that is an object; the first of a file may be a whole document. */
function ofObject(line: LookedAt, text: string, object: JsonObject): Agent | undefined {
  const agent = agentOfRecord(object);
  if (agent || !line.isFirst) return agent;
  const sketch = new JsonSketch();
  sketch.write(Buffer.from(text));
  return recogniseAgent(sketch.text);
}

/** Of a line that is none as it stands: there may be a whole record behind damage, or the beginning of the first one. */
function ofDamaged(line: LookedAt, text: string): Agent | undefined {
  if (line.number > DAMAGED || !(line.isFirst || text.includes('{"'))) return undefined;
  return recogniseAgent(text) ?? (line.isFirst && line.beginning !== null ? recogniseAgent(line.beginning) : undefined);
}

/** Of a document that stands on many lines. */
function ofDocument(file: string): Owner | null {
  const sketch = new JsonSketch();
  let size = 0;
  for (const piece of plainPieces(file, PIECE)) {
    sketch.write(size === 0 && piece[0] === 0xef ? piece.subarray(3) : piece);
    size += piece.length;
    if (sketch.isOver || size >= DOCUMENT) break;
  }
  const agent = recogniseAgent(sketch.text);
  return agent ? { agent, begins: 0 } : null;
}
