// Real transcripts, where they lie beside the project: what must be true of each, whatever is in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { opinionOf, parseAll } from './support/independent.ts';
import { linesKept, linesOf, replay } from './support/replay.ts';

const root = new URL('../../../shared/transcripts/', import.meta.url);
const folders = ['claude-code', 'claude-code-current', 'mislabelled-as-gemini'];
const isThere = existsSync(root);
const names = isThere ? folders.flatMap((folder) => filesIn(folder)) : [];

function filesIn(folder: string): string[] {
  const found = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
  return found.filter((name) => name.endsWith('.jsonl')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

function read(name: string): string[] {
  return linesOf(readFileSync(new URL(name, root), 'utf8'));
}

describe.skipIf(!isThere)(`real transcripts${isThere ? '' : ' (skipped: there are none beside the project)'}`, () => {
  test('there are some', () => {
    expect(names.length).toBeGreaterThan(10);
  });

  test.each(names)('%s', (name) => {
    const lines = read(name);
    const whole = replay(lines);
    const opinion = opinionOf(lines, name.includes('/subagents/'));
    const records = parseAll(lines);
    expect(linesKept(whole)).toBe(records.length);
    expect(whole.problems).toHaveLength(name.includes('/malformed/') ? 1 : 0);
    expect(new Set(whole.visible)).toEqual(opinion.live);
    expect(whole.usage).toMatchObject(opinion.usage);
    expect(whole.apiMessages).toBe(opinion.apiMessages);
    const tools = [...whole.messages.values()].flatMap(({ parts }) => parts.filter((part) => part['toolCallId']));
    const states = tools.map((part) => (part['errorText'] === 'no result recorded' ? 'none' : part['state']));
    expect(states.filter((state) => state === 'none')).toHaveLength(
      [...opinion.calls].filter((id) => !opinion.answered.has(id)).length,
    );
  });

  test('paths are whole, and commands have whole exit codes or none', () => {
    for (const name of names) {
      for (const { kind, path, exit_code } of replay(read(name)).derived) {
        if (kind === 'read' || kind === 'write') expect(path).toMatch(/^\//);
        if (kind === 'command') expect(exit_code === null || Number.isSafeInteger(exit_code)).toBe(true);
      }
    }
  });
});
