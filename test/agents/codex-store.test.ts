// Rollouts of Codex that grow in a store, and real ones where they lie beside the project, compared with a second opinion.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { fsck, makeProject, type Project, ROOT } from '../support/store.ts';
import { linesKept, linesOf, replay } from './support/replay.ts';
import { recordsOf, rolloutOpinion } from './support/rollout-opinion.ts';
import { seenIn } from './support/rollout-sight.ts';
import { storedIn } from './support/stored.ts';

const rollouts = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
const transcripts = join(ROOT, '..', 'shared', 'transcripts');
const real = [...rollouts(join(transcripts, 'codex')), ...rollouts(join(transcripts, 'codex-current'))];

const nameOf = (file: string): string => file.split('/').slice(-2).join('/');
const read = (file: string): string[] => linesOf(readFileSync(file, 'utf8'));

describe('in a store', () => {
  test('what is added to a rollout is added to its session, and a rewritten one brings only what is new', () => {
    const project = makeProject();
    const lines = read(join(ROOT, 'fixtures', 'codex', 'rate-limit.jsonl'));
    const file = join(project.folder, 'rollout.jsonl');
    const ingest = (count: number, before = '') => {
      writeFileSync(file, `${before}${lines.slice(0, count).join('\n')}\n`);
      return ingestTranscript(project.open(), file);
    };
    const first = ingest(30);
    expect(ingest(50)).toMatchObject({ session_id: first.session_id, created: false, lines: 20 });
    // A file that lost lines, and one whose first line moved.
    expect(ingest(20)).toMatchObject({ steps_added: 0, lines: 20 });
    expect(ingest(lines.length, '\n')).toMatchObject({ session_id: first.session_id, lines: lines.length + 1 });
    const { ids, lines: kept } = storedIn(project.repository, first.session_id);
    expect(kept).toBe(lines.length);
    expect(new Set(ids).size).toBe(ids.length);
    const whole = makeProject();
    const once = ingestTranscript(whole.repository, join(ROOT, 'fixtures', 'codex', 'rate-limit.jsonl'));
    const sessionOf = (place: Project, id: string) => {
      const steps = [
        ...readSteps(place.repository.objects, place.repository.refs.read(sessionRef(id)) as string, true),
      ];
      return steps.at(-1)?.session as { usage: object; session_state: { kind: string }; title: string; model: string };
    };
    const { usage, title, model, session_state } = sessionOf(whole, once.session_id);
    expect(sessionOf(project, first.session_id)).toMatchObject({ usage, title, model });
    expect(session_state.kind).toBe('Interrupted');
    expect(fsck(project.store)).toBe('');
  });
});

describe.skipIf(real.length === 0)(
  `real rollouts${real.length ? '' : ' (skipped: there are none beside the project)'}`,
  () => {
    test.each(real.map((file) => [nameOf(file), file]))('%s', (_name, file) => {
      const lines = read(file);
      const whole = replay(lines, [], false, codex);
      const opinion = rolloutOpinion(lines);
      expect(whole.problems).toEqual([]);
      expect(linesKept(whole)).toBe(recordsOf(lines).length);
      expect(seenIn(whole)).toEqual(opinion.sees);
      expect([...whole.messages.values()].filter(({ role }) => role === 'assistant')).toHaveLength(opinion.answers);
      for (const [key, value] of Object.entries(opinion.usage))
        expect([key, whole.usage[key] ?? 0]).toEqual([key, value]);
      const tools = [...whole.messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
      const states = tools.map((part) => part['errorText']);
      expect(states.filter((text) => text === 'no result recorded')).toHaveLength(opinion.unanswered);
    });

    test('commands have whole exit codes or none, and paths are whole', () => {
      const derived = real.flatMap((file) => replay(read(file), [], false, codex).derived);
      expect(derived.filter(({ kind, exit_code }) => kind === 'command' && exit_code !== null).length).toBeGreaterThan(
        100,
      );
      for (const { kind, path, exit_code, tool_call_id } of derived) {
        expect(tool_call_id).toMatch(/^call_/);
        if (kind === 'command') expect(exit_code === null || Number.isSafeInteger(exit_code)).toBe(true);
        else expect(path).toMatch(/^\//);
      }
    });
  },
);
