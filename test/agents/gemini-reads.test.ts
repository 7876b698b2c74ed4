// Files that Gemini CLI reads together: which those were, its result tells.
import { expect, test } from 'vitest';
import { derive } from '../../src/agents/gemini/derive.ts';
import { partsOf } from '../../src/agents/gemini/parts.ts';
import type { ToolPart } from '../../src/agents/shared/parts.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

const responds = (response: JsonObject): JsonObject => ({ functionResponse: { id: 'c', response } });
const END = '\n--- End of content ---';
const both = `--- /p/a.md ---\n\nOne.\n\n\n--- /p/b c.ts ---\n\nconst a = 1;\n--- a ---\n\n\n${END}`;

/** The paths that a call read, by its result. */
function readBy(result: JsonValue, status = 'success'): unknown[] {
  const call = { id: 'c', name: 'read_many_files', args: { include: ['**/*'] }, status, result };
  const told = partsOf({ type: 'gemini', id: 'm', content: '', toolCalls: [call] });
  return told.flatMap(({ part }) => derive(part as ToolPart, '/p')).map(({ body }) => Object.values(body).join(' '));
}

test.each<[string, JsonValue, string[]]>([
  ['one text', [responds({ output: both })], ['read /p/a.md', 'read /p/b c.ts']],
  [
    'a text for each file, and an older path',
    [
      responds({ output: 'Done.' }),
      { text: '--- a.md ---\n\nOne.\n\n' },
      { text: '--- b.md ---\n\n\n\n' },
      { text: END },
    ],
    ['read /p/a.md', 'read /p/b.md'],
  ],
  [
    'a picture beside it',
    [responds({ output: both }), { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
    ['read /p/a.md', 'read /p/b c.ts'],
  ],
  [
    'an empty file before another',
    [responds({ output: `--- /p/a ---\n\n\n\n\n--- /p/b ---\n\nx\n\n${END}` })],
    ['read /p/a', 'read /p/b'],
  ],
  ['the same file twice', [responds({ output: '--- /p/a ---\n\nx\n\n\n--- /p/a ---\n\nx\n\n' })], ['read /p/a']],
  ['no file', [responds({ output: 'No files matching the criteria were found.' })], []],
])('read together: %s', (_what, result, expected) => {
  expect(readBy(result)).toEqual(expected);
  expect(readBy(result, 'error')).toEqual([]);
});
