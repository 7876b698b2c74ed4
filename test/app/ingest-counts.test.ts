// Tests the counts of ingest: they have the same sum, however often a transcript is looked at while it grows.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { CtxError } from '../../src/core/errors.ts';
import { makeProject, ROOT, temporaryFolder } from '../support/store.ts';

const AGENTS = ['acp', 'claude-code', 'codex', 'copilot', 'cursor', 'gemini', 'pi'];

const transcripts = AGENTS.flatMap((agent) =>
  readdirSync(join(ROOT, 'fixtures', agent))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name): [agent: string, name: string] => [agent, name]),
);

interface Told {
  messages: number;
  tool_calls: number;
}

/** Adds the counts for all of the beginnings of a transcript, taken in one after the other. */
function toldOf(lines: readonly string[], ends: readonly number[], agent: string): Told {
  const { repository } = makeProject();
  const file = join(temporaryFolder(), 'transcript.jsonl');
  const sum: Told = { messages: 0, tool_calls: 0 };
  for (const end of ends) {
    writeFileSync(file, lines.slice(0, end).join(''));
    try {
      const { messages, tool_calls } = ingestTranscript(repository, file, { agent });
      sum.messages += messages;
      sum.tool_calls += tool_calls;
    } catch (error) {
      // Nothing has been said yet.
      if (!(error instanceof CtxError) || error.code !== 'invalid_input') throw error;
    }
  }
  return sum;
}

test.each(transcripts)('%s: %s, line by line as at once', (agent, name) => {
  const text = readFileSync(join(ROOT, 'fixtures', agent, name), 'utf8');
  const lines = text.split(/(?<=\n)/);
  expect(
    toldOf(
      lines,
      [...lines.keys()].map((index) => index + 1),
      agent,
    ),
  ).toEqual(toldOf(lines, [lines.length], agent));
});
