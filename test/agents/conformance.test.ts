// Tests every agent with all transcripts of ours and the real ones: one suite, which an agent joins by its fixtures.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { AGENTS, recogniseAgent } from '../../src/agents/index.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { ingestRecognised } from '../../src/app/intake/ingest.ts';
import { BEGINNING } from '../../src/app/transcript/text.ts';
import { between } from '../support/readme.ts';
import { fsck, makeProject, ROOT } from '../support/store.ts';
import { ABILITIES, type Abilities, declaredOf, draftAbilities, showing, tableOf } from './support/abilities.ts';
import { everyCut, expectConformance, someCuts } from './support/conformance.ts';
import {
  FIXTURES,
  fixturesOf,
  hasReal,
  noReal,
  readingOf,
  realFiles,
  realTranscripts,
  type Transcript,
} from './support/corpus.ts';
import { linesKept } from './support/replay.ts';
import { type Shown, shownIn } from './support/shown.ts';
import { storedIn } from './support/stored.ts';

/** Writes anew what is expected, and the table: `npm run agents:write`. Look through the difference before it is kept. */
const WRITES = process.env['WRITE_AGENTS'] === '1';

const PAGE = join(ROOT, 'docs', 'agents.md');
const corpus = AGENTS.map((agent) => [agent.name, agent, fixturesOf(agent)] as const);
const real = realTranscripts();

/** Whose a text is, told as the application tells it: by no more than its beginning. */
const takenBy = (text: string): string[] => {
  const beginning = text.slice(0, BEGINNING);
  return AGENTS.filter((agent) => agent.recognises(beginning)).map(({ name }) => name);
};

const shownOf = (transcripts: readonly Transcript[]): (readonly [Transcript, Shown])[] =>
  transcripts.map((transcript) => [transcript, shownIn(readingOf(transcript))] as const);

describe.each(corpus)('%s', (name, agent, fixtures) => {
  test('has fixtures', () => {
    expect(fixtures.length, `fixtures/${name} is empty`).toBeGreaterThan(0);
  });

  test.each(fixtures.map((transcript) => [transcript.name, transcript] as const))('%s', (_name, transcript) => {
    if (transcript.text !== null) expect(takenBy(transcript.text)).toEqual([name]);
    expectConformance(agent, transcript.lines, everyCut(transcript.lines));
  });

  test.each(fixtures.map((transcript) => [transcript.name, transcript] as const))(
    '%s: its session in a store is complete and sound, and read once',
    (_name, transcript) => {
      expectStored(transcript);
    },
  );

  test('gives the expected result', () => {
    expectTold(agent, fixtures);
  });

  const declared = declaredOf(name);
  test.each(Object.keys(ABILITIES))('%s: what is declared is so', (ability) => {
    if (WRITES && !declared) return;
    const word = declared?.[ability];
    expect(word, `fixtures/${name}/abilities.json does not tell of ${ability}`).toBeDefined();
    expect(declared && Object.keys(declared)).toEqual(Object.keys(ABILITIES));
    if (typeof word === 'object') expect(word.partial).toMatch(/^\S.+\S$/);
    else expect(['full', 'none']).toContain(word);
    const own = showing(ability, shownOf(fixtures));
    if (word !== 'none') expect(own, `no fixture shows ${ability}`).not.toEqual([]);
    else expect([...own, ...showing(ability, shownOf(real.filter((each) => each.agent === agent)))]).toEqual([]);
  });
});

/** Ingests a transcript, twice: what is in the store is what the reader gives, and the store is sound. */
function expectStored(transcript: Transcript): void {
  const project = makeProject();
  const result = ingestRecognised(project.repository, transcript.open(), {});
  expect(result).toMatchObject({ agent: transcript.agent.name, created: true });
  const stored = storedIn(project.open(), result.session_id);
  expect(new Set(stored.ids).size).toBe(stored.ids.length);
  expect(stored.lines).toBe(linesKept(readingOf(transcript)));
  expect(stored.usage).toEqual(readingOf(transcript).usage);
  expect(ingestRecognised(project.open(), transcript.open(), {})).toMatchObject({ steps_added: 0, created: false });
  expect(fsck(project.store)).toBe('');
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
}

/** Compares what fixtures tell with `expected.json` beside them. */
function expectTold(agent: Agent, fixtures: readonly Transcript[]): void {
  const file = join(FIXTURES, agent.name, 'expected.json');
  const told = Object.fromEntries(shownOf(fixtures).map(([{ name }, shown]) => [name, shown]));
  if (WRITES) writeFileSync(file, `${JSON.stringify(told, null, 2)}\n`);
  if (WRITES && !declaredOf(agent.name)) draftAbilities(agent.name, Object.values(told));
  expect(existsSync(file), `${file} is missing: npm run agents:write`).toBe(true);
  expect(JSON.parse(JSON.stringify(told))).toEqual(JSON.parse(readFileSync(file, 'utf8')));
}

describe.skipIf(!hasReal)(`real transcripts${noReal}`, () => {
  test.each(real.map((transcript) => [transcript.name, transcript] as const))('%s', (_name, transcript) => {
    expectConformance(transcript.agent, transcript.lines, someCuts(transcript.lines.length));
  });

  test('are taken by the agent whose they are, and by no other', () => {
    const names = new Set(real.map(({ path }) => path));
    for (const { name, path, agent } of realFiles()) {
      const takers = takenBy(readFileSync(path, 'utf8'));
      if (names.has(path)) expect([name, takers]).toEqual([name, agent ? [agent.name] : []]);
      else expect([name, takers]).toEqual([name, []]);
    }
    // A keeper's compact copy of a session is nobody's transcript.
    const unread = realFiles().filter(({ path, agent }) => agent && !names.has(path));
    expect(unread.map(({ name }) => name).filter((name) => !name.endsWith('_transcript.jsonl'))).toEqual([]);
  });
});

test('the first agent that takes a text is the one that reads it', () => {
  for (const [name, , fixtures] of corpus)
    for (const { text } of fixtures) if (text !== null) expect(recogniseAgent(text)?.name).toBe(name);
});

test('the table in docs/agents.md is the one that the fixtures make', () => {
  const table = tableOf(AGENTS.map(({ name }) => [name, declaredOf(name) ?? ({} as Abilities)]));
  const page = readFileSync(PAGE, 'utf8');
  if (WRITES)
    writeFileSync(
      PAGE,
      page.replace(between(page, 'abilities'), () => table),
    );
  expect(between(readFileSync(PAGE, 'utf8'), 'abilities')).toBe(table);
});
