// Every transcript that the tests have: our own fixtures, and real ones where they lie beside the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Agent } from '../../../src/agents/contract/agent.ts';
import { AGENTS } from '../../../src/agents/index.ts';
import { collectionAt } from '../../../src/app/transcript/collections.ts';
import { recogniseTranscript } from '../../../src/app/transcript/recognise.ts';
import type { Recognised } from '../../../src/app/transcript/text.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { ROOT } from '../../support/store.ts';
import { linesOf, type Replay, replay } from './replay.ts';
import { unfoldText } from './unfold.ts';

export const FIXTURES = join(ROOT, 'fixtures');
export const REAL = join(ROOT, '..', 'shared', 'transcripts');
/** Said where the real transcripts are absent. */
export const hasReal = existsSync(REAL);
export const noReal = hasReal ? '' : ' (skipped: there are none beside the project)';

/** Matches the files beside transcripts that are none. */
const BESIDE = /(^|\/)(README\.md|SOURCES\.tsv|expected\.json|abilities\.json|[^/]+\.meta\.json)$/;

export interface Transcript {
  /** Its path below the folder of its corpus. */
  name: string;
  path: string;
  /** The file as it stands; null for one of a collection, which is recognised by where it lies. */
  text: string | null;
  /** Lines for the reader of its agent. */
  lines: readonly string[];
  agent: Agent;
  /** Opens it as the application does. */
  open: () => Recognised;
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (collectionAt(path, entry.isDirectory(), undefined)) yield path;
    else if (entry.isDirectory()) yield* filesBelow(path);
    else if (!BESIDE.test(path)) yield path;
  }
}

function* transcriptsAt(path: string, base: string, agent: Agent): Generator<Transcript> {
  const name = relative(base, path).replaceAll('\\', '/');
  const collected = collectionAt(path, !/\.[a-z]+$/.test(path), agent.name);
  for (const { file, open } of collected ?? [])
    yield { name: relative(base, file).replaceAll('\\', '/'), path, text: null, lines: linesIn(open()), agent, open };
  if (collected) return;
  const text = readFileSync(path, 'utf8');
  yield {
    name,
    path,
    text,
    lines: unfoldText(agent, text) ?? linesOf(text),
    agent,
    open: () => recogniseTranscript(path, undefined),
  };
}

/** The lines of a conversation of a collection. */
function linesIn({ text }: Recognised): string[] {
  return linesOf(Buffer.concat([...text.pieces(0)].map((piece) => Buffer.from(piece))).toString('utf8'));
}

/** The fixtures of an agent. */
export function fixturesOf(agent: Agent): Transcript[] {
  const base = join(FIXTURES, agent.name);
  return [...filesBelow(base)].flatMap((path) => [...transcriptsAt(path, base, agent)]);
}

/** Real transcripts whose folder is not called as their agent is: their keepers had taken them for another's. */
const OTHERWISE: [beginning: string, agent: string][] = [
  ['mislabelled-as-gemini/', 'claude-code'],
  ['opencode/14_d75ebe3a6d_0.json', 'gemini'],
];

/** The agent whose a real transcript is; undefined where ctx does not read it. */
function agentOf(path: string): Agent | undefined {
  const otherwise = OTHERWISE.find(([beginning]) => path.startsWith(beginning));
  const name = otherwise?.[1] ?? path.split('/')[0]?.replace(/-current$/, '');
  return AGENTS.find((agent) => agent.name === name);
}

/** Real files, with the agent that their folder says; none where it is no agent that ctx reads. */
export function realFiles(): { name: string; path: string; agent: Agent | undefined }[] {
  if (!hasReal) return [];
  return [...filesBelow(REAL)].map((path) => {
    const name = relative(REAL, path).replaceAll('\\', '/');
    return { name, path, agent: agentOf(name) };
  });
}

/** Real transcripts of the agents that ctx reads. What its agent does not know is none of them. */
export function realTranscripts(): Transcript[] {
  return realFiles().flatMap(({ path, agent }) => {
    if (!agent) return [];
    return [...transcriptsAt(path, REAL, agent)].filter(({ text }) => text === null || agent.recognises(text));
  });
}

const readings = new Map<string, Replay>();

/** Reads a transcript and its path in one go; once for all tests of a file. */
export function readingOf({ path, name, lines, agent }: Transcript): Replay {
  const key = `${path} ${name}`;
  const known = readings.get(key);
  if (known) return known;
  const told = replay(lines, [], false, agent);
  const placed = agent.aboutPath?.(path.replaceAll('\\', '/')) as JsonObject | undefined;
  const reading = { ...told, about: { ...placed, ...told.about } };
  readings.set(key, reading);
  return reading;
}
