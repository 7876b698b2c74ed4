// A transcript that is ingested while it grows, and what its session has then: to compare with one ingest of the whole.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ingestTranscript } from '../../../src/app/intake/ingest.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { readChain, readSteps } from '../../../src/history/chain/chain.ts';
import { sessionRef } from '../../../src/history/names/layout.ts';
import { makeProject, type Project } from '../../support/store.ts';
import { assemble } from './replay.ts';

export interface Grown {
  project: Project;
  task: string;
  /** Each message with its parts, without what only tells them apart, and whether it is in view. */
  messages: object[];
  /** Notes and the states that the session was moved to, in order. */
  moves: unknown[];
  /** Deeds, in order. */
  deeds: unknown[];
  state: unknown;
  usage: unknown;
}

const DEEDS = ['read', 'write', 'delete', 'command', 'plan'];

/** Ingests one text of a transcript after the other, each as the same file. */
export function grown(texts: readonly string[], name = 'transcript.jsonl'): Grown {
  const project = makeProject();
  const file = join(project.folder, name);
  let session = '';
  for (const text of texts) {
    writeFileSync(file, text);
    session = ingestTranscript(project.open(), file).session_id;
  }
  const { objects, refs } = project.open();
  const head = refs.read(sessionRef(session)) as string;
  const records = [...readSteps(objects, head, true)].flatMap((step) => step.records as unknown as JsonObject[]);
  const told = records.filter(({ kind }) => kind !== 'task' && kind !== 'transition');
  const read = assemble(told.map((body) => ({ type: 'record', at: Number(body['at']), body }) as never));
  const visible = new Set(read.visible);
  const { task_description: task, session_state, usage } = readChain(objects, head, sessionRef(session)).session;
  return unlabelled({
    project,
    task,
    messages: [...read.messages.values()].map(({ id, role, parts }) => ({
      ...{ id, role, parts: parts.map(plain) },
      isVisible: visible.has(id),
    })),
    moves: records.flatMap(({ kind, content, to }) =>
      kind === 'note' ? [content] : kind === 'transition' ? [to] : [],
    ),
    deeds: records.flatMap(({ kind, path, command, content }) =>
      DEEDS.includes(String(kind)) ? [[kind, path ?? command ?? content]] : [],
    ),
    state: session_state,
    usage,
  });
}

/** Each store has labels of its own. */
const unlabelled = ({ project, ...told }: Grown): Grown => ({
  project,
  ...(JSON.parse(JSON.stringify(told).replaceAll(/\[redacted:([a-z-]+):[0-9a-f]+\]/g, '[redacted:$1]')) as Omit<
    Grown,
    'project'
  >),
});

/** Every beginning of a text that ends with one of its lines, from one on. */
export function beginnings(lines: readonly string[], from = 1): string[] {
  const counts = Array.from({ length: lines.length - from + 1 }, (_, index) => from + index);
  return counts.map((count) => `${lines.slice(0, count).join('\n')}\n`);
}

/** Of some words those that stand in the store as they are. */
export function inClear({ project }: Grown, words: readonly string[]): string[] {
  const all = project.git('cat-file', '--batch-all-objects', '--batch', '--unordered');
  return words.filter((word) => all.includes(word));
}

/** A part without its id, and without the time at which it was closed. */
const plain = ({ id: _id, ...part }: JsonObject): JsonObject => part;
