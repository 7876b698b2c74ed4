/** Finds the agent that a file is a transcript of, by its content, without ever holding all of it. */
import type { Agent } from '../../agents/contract/agent.ts';
import { agentOfRecord, recogniseAgent } from '../../agents/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { JsonSketch } from '../../core/json-sketch.ts';
import { plainPieces } from '../../platform/compressed-file.ts';
import { type PreviewedLine, previewLines } from './line-preview.ts';
import { fileStat, PIECE } from './text.ts';

/** The agent that a file is a transcript of. */
export interface Owner {
  agent: Agent;
  /** Byte offset of the first line that is the agent's: nothing before it is. */
  begins: number;
}

/** Lines that are searched for whole records behind damage. */
const DAMAGED = 64;
/** Length of the part of a document of many lines that is read, in bytes. */
const DOCUMENT = 128 * 1024 * 1024;

/** The last result: a file is asked for more than once while it is ingested. */
let last: { key: string; owner: Owner | null } | null = null;

/**
 * Returns the agent whose transcript a file is, by its content; null if no agent knows it.
 * @throws {CtxError} not_found, invalid_input, io
 */
export function ownerOf(file: string): Owner | null {
  const { dev, ino, size, mtimeMs, ctimeMs } = fileStat(file);
  const key = [file, dev, ino, size, mtimeMs, ctimeMs].join('\0');
  if (last?.key !== key) last = { key, owner: findOwner(file) };
  return last.owner;
}

function findOwner(file: string): Owner | null {
  let mayBeDocument = false;
  for (const line of previewLines(plainPieces(file, PIECE))) {
    if (!line.hasObject) continue;
    const text = line.text.trim();
    const object = line.isWhole ? objectIn(text) : undefined;
    const agent = object ? agentOfObject(line, text, object) : agentOfDamaged(line, text);
    if (agent) return { agent, begins: line.at };
    if (line.isFirst) mayBeDocument = text.startsWith('{') && object === undefined;
  }
  return mayBeDocument ? ownerOfDocument(file) : null;
}

/** Parses a text as an object; undefined if it is not one. */
function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Returns the agent of a line that is an object; the first line of a file may be a whole document. */
function agentOfObject(line: PreviewedLine, text: string, object: JsonObject): Agent | undefined {
  const agent = agentOfRecord(object);
  if (agent || !line.isFirst) return agent;
  const sketch = new JsonSketch();
  sketch.write(Buffer.from(text));
  return recogniseAgent(sketch.text);
}

/**
 * Returns the agent of a damaged line: there may be a whole record behind the damage, or the beginning of the first
 * one.
 */
function agentOfDamaged(line: PreviewedLine, text: string): Agent | undefined {
  if (line.number > DAMAGED || !(line.isFirst || text.includes('{"'))) return undefined;
  return recogniseAgent(text) ?? (line.isFirst && line.beginning !== null ? recogniseAgent(line.beginning) : undefined);
}

/** Returns the agent of a document that spans many lines. */
function ownerOfDocument(file: string): Owner | null {
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
