// Transcripts of Claude Code and Codex that are damaged or still growing: every line is accounted for, and nothing is taken in twice.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnyBody } from '../../src/core/records/record.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { assemble, linesKept, type Replay } from '../agents/support/replay.ts';
import { fc } from '../support/property.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { harms, runs, spoilt, valueOr } from './fuzz.ts';

const FIXTURES = new URL('../../fixtures/', import.meta.url);
const files = ['claude-code/', 'codex/'].flatMap((agent) =>
  readdirSync(new URL(agent, FIXTURES))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(new URL(agent + name, FIXTURES))),
);

/** Reads the stored records of a session, put together as a reader of it would. */
function keptOf({ repository }: Project, session: string, isOdd = false): Replay {
  const head = repository.refs.read(sessionRef(session)) as string;
  const bodies = [...readSteps(repository.objects, head, true)].flatMap((step) => step.records as AnyBody[]);
  const told = bodies.filter((body) => !['task', 'transition'].includes(body.kind));
  return assemble(
    told.map((body) => ({ type: 'record', at: 0, body })),
    null,
    0,
    isOdd,
  );
}

/** Selects the results that must not depend on how often the file was read. */
function outcome({ messages, visible, usage, apiMessages, bodies }: Replay) {
  const parts = [...messages.values()].map(({ id, role, parts: all, metadata }) => {
    const texts = all.map((part) => JSON.stringify(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))));
    return [id, role, metadata['parent_id'] ?? null, texts.sort()];
  });
  const count = (kind: string): number => bodies.filter((body) => body.kind === kind).length;
  const files_ = ['read', 'write', 'command', 'plan'].map(count);
  return { parts, visible: [...visible].sort(), usage, apiMessages, files: files_ };
}

/** Lines of a file, without those that are blank, and the numbers of those that are no JSON object. */
function linesOf(bytes: Buffer): { whole: number; broken: number[] } {
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.replace(/^\ufeff/, '').trim());
  const broken: number[] = [];
  let whole = 0;
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    try {
      const value = JSON.parse(line) as unknown;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) whole += 1;
      else broken.push(index + 1);
    } catch {
      broken.push(index + 1);
    }
  }
  return { whole, broken };
}

test('a damaged transcript: every line is kept or named, once, and Git finds the store whole', () => {
  const seen = { taken: 0, refused: 0, broken: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...files), harms, harms, (whole, first, second) => {
      const project = makeProject();
      const file = join(project.folder, 'transcript.jsonl');
      const bytes = spoilt(spoilt(whole, first), second);
      writeFileSync(file, bytes);
      const result = valueOr(['invalid_input'], () => ctx.ingestTranscript(project.repository, file));
      if ('error' in result) {
        seen.refused += 1;
        return;
      }
      seen.taken += 1;
      const { session_id, oid, problems, incomplete } = result.value;
      const { whole: sound, broken } = linesOf(bytes);
      const last = bytes.toString('utf8').split('\n').length;
      const named = new Set(problems.map((problem) => problem.line));
      for (const line of broken) if (!(incomplete && line === last)) expect(named).toContain(line);
      seen.broken += broken.length;
      expect(linesKept(keptOf(project, session_id, true))).toBeGreaterThanOrEqual(sound);

      const again = ctx.ingestTranscript(project.open(), file);
      expect(again).toMatchObject({ session_id, oid, created: false, steps_added: 0, messages: 0, tool_calls: 0 });
      expect(fsck(project.store)).toBe('');
    }),
    runs(40),
  );
  expect(seen.taken).toBeGreaterThan(25);
  expect(seen.broken).toBeGreaterThan(20);
});

test('a transcript that is read while it grows comes to what it comes to in one go', () => {
  let parts = 0;
  const sized = files.filter((bytes) => bytes.length < 20_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...sized),
      fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 4 }),
      (whole, cuts) => {
        const once = makeProject();
        const file = join(once.folder, 'transcript.jsonl');
        writeFileSync(file, whole);
        const { session_id, agent_session_id } = ctx.ingestTranscript(once.repository, file);

        const grown = makeProject();
        // Claude Code names the file by the session: its first lines do not always tell.
        const growing = join(grown.folder, `${agent_session_id.split('/').at(-1)}.jsonl`);
        let session: string | undefined;
        for (const cut of [...cuts.map((at) => at % whole.length).sort((a, b) => a - b), whole.length]) {
          writeFileSync(growing, whole.subarray(0, cut));
          const result = valueOr(['invalid_input'], () => ctx.ingestTranscript(grown.open(), growing));
          if (!('value' in result)) continue;
          session ??= result.value.session_id;
          expect(result.value.session_id).toBe(session);
          parts += 1;
        }
        expect(outcome(keptOf(grown, session as string))).toEqual(outcome(keptOf(once, session_id)));
        expect(fsck(grown.store)).toBe('');
      },
    ),
    runs(40),
  );
  expect(parts).toBeGreaterThan(60);
});
