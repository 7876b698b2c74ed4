import { describe, expect, test } from 'vitest';
import { outputIn } from '../../src/core/command-output.ts';

const OUTPUT = 'one line\nand [another] one';

describe('the output of a command inside the text that reports it', () => {
  test.each([
    `Exit code 1\n${OUTPUT}`,
    `Error: Exit code 127\n${OUTPUT}\n`,
    `Exit code: 1\nWall time: 0.1 seconds\nOutput:\n${OUTPUT}\n`,
    `Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\n${OUTPUT}`,
    `Command: make\nDirectory: (root)\nOutput: ${OUTPUT}\nError: (none)\nExit Code: 2\nSignal: (none)`,
    `Output: ${OUTPUT}\nExit Code: 2`,
    `${OUTPUT}\n<exited with exit code 1>`,
    `  ${OUTPUT}\n<command exited with code 1>\n`,
  ])('%j', (text) => {
    const found = outputIn(text);
    expect(found?.plain).toBe(OUTPUT);
    expect(text.slice(found?.start, found?.end)).toBe(OUTPUT);
  });

  test('as JSON has it', () => {
    const text = JSON.stringify({ output: `${OUTPUT}\n`, metadata: { exit_code: 1 } });
    const found = outputIn(text);
    expect(found?.plain).toBe(OUTPUT);
    expect(JSON.parse(`${text.slice(0, found?.start)}gone${text.slice(found?.end)}`).output).toBe('gone');
  });

  test.each([
    '',
    OUTPUT,
    'Exit code 1',
    'Exit codes are numbers\nand more',
    '{"output":"torn',
    '{"output": 1}',
    'Process this:\nWords',
  ])('%j has none', (text) => expect(outputIn(text)).toBeNull());
});
