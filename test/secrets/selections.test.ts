/** Tests that text between tags of a file that is known to hold secrets is redacted; a tag that only speaks of one takes nothing with it. */
import { describe, expect, test } from 'vitest';
import { piecesWithoutSelections, withoutSelections } from '../../src/secrets/selections.ts';
import { withoutSecretFiles } from '../../src/secrets/withheld.ts';
import { withheldText } from '../../src/secrets/withheld-marker.ts';

const VALUE = 'A=plain1';
const gone = withheldText(VALUE.length);
const LONG = 'as below\n'.repeat(400);

function inPieces(text: string, size: number): string {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / size);
  const pieces = Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  return Buffer.concat([...piecesWithoutSelections(pieces)]).toString('utf8');
}

/** In pieces, with so much around it that whatever is given on is cut at every place in it, and bytes of other characters. */
function expectInPieces(text: string, kept: string): void {
  for (const size of [1, 7, 100_000]) expect(inPieces(`é${text}<b`, size), `${size} bytes each`).toBe(`é${kept}<b`);
  for (let before = 0; before < LONG.length; before += 29)
    expect(inPieces(LONG.slice(0, before) + text + LONG, 50), `behind ${before}`).toBe(
      LONG.slice(0, before) + kept + LONG,
    );
}

describe('what is shown', () => {
  test.each<[string, string, string]>([
    [
      'a selection',
      `<code_selection path="/p/.env" lines="1-2">${VALUE}</code_selection> and A=2`,
      `<code_selection path="/p/.env" lines="1-2">${gone}</code_selection> and A=2`,
    ],
    [
      'one beside others',
      `<file name="a.ts">a</file> <file name=".npmrc">${VALUE}</file>`,
      `<file name="a.ts">a</file> <file name=".npmrc">${gone}</file>`,
    ],
    [
      'one behind a tag that nothing closes',
      `as in <file name=".env">, <file name=".npmrc">${VALUE}</file>`,
      `as in <file name=".env">, <file name=".npmrc">${gone}</file>`,
    ],
    [
      'one that is long',
      `<file name=".env">${'A=1\n'.repeat(1500)}</file>`,
      `<file name=".env">${withheldText(6000)}</file>`,
    ],
    ['one in letters of two bytes', `<file name=".env">ä</file>`, `<file name=".env">${withheldText(2)}</file>`],
    [
      'one in another',
      `<file name=".env">A<file_contents path=".env">B</file_contents></file>`,
      `<file name=".env">${withheldText(45)}</file>`,
    ],
    [
      'lines that are selected in an editor',
      `<ide_selection>The user selected the lines 1 to 2 from /p/.env:\n${VALUE}</ide_selection>`,
      `<ide_selection>The user selected the lines 1 to 2 from /p/.env:\n${gone}</ide_selection>`,
    ],
    [
      'what has changed in it',
      `<system-reminder>\nNote: /p/.env was modified, by the user. The changes:\n${VALUE}</system-reminder>`,
      `<system-reminder>\nNote: /p/.env was modified, by the user. The changes:\n${gone}</system-reminder>`,
    ],
    [
      'what was read for the model',
      `<system-reminder>\nCalled the Read tool with the following input: {"file_path":"/p/.env"}\n</system-reminder>\n<system-reminder>\nResult of calling the Read tool:${VALUE}</system-reminder>`,
      `<system-reminder>\nCalled the Read tool with the following input: {"file_path":"/p/.env"}\n</system-reminder>\n<system-reminder>\nResult of calling the Read tool:${gone}</system-reminder>`,
    ],
    [
      'a file that was read',
      `<path>/p/.env</path>\n<type>file</type>\n<content>${VALUE}</content>`,
      `<path>/p/.env</path>\n<type>file</type>\n<content>${gone}</content>`,
    ],
    [
      'one with tags in it',
      `<file name=".m2/settings.xml"><user a="b"/></file>`,
      `<file name=".m2/settings.xml">${withheldText(13)}</file>`,
    ],
  ])('%s', (_name, text, kept) => {
    expect(withoutSecretFiles({ parts: [{ type: 'text', text }] })).toEqual({ parts: [{ type: 'text', text: kept }] });
    expect(withoutSelections(kept)).toBe(kept);
    expectInPieces(text, kept);
    expectInPieces(kept, kept);
  });
});

describe('what stays as it is', () => {
  test.each<[string, string]>([
    ['a tag that closes itself', '<code_selection path=".env" lines="1" /> A=1'],
    ['another file', '<file name="a.ts">A=1</file>'],
    ['no tag', 'path=".env" A=1 </file>'],
    ['a tag in a sentence', `What stands in \`<file path="config/.env">\` is withheld.\n${VALUE}`],
    ['a tag in a comment', `// like <file name="id_rsa">\nexport const a = 1;\n${VALUE}`],
    ['a tag before that of another file', `\`<file path=".env">\` is meant, not <file path="a.ts">${VALUE}</file>`],
    ['a report about it', '<file name="config/credentials.json">\n<error line="1" message="b"/>\n</file>'],
    ['a reminder of another file', `<system-reminder>\nNote: a.ts was modified, by you:\n${VALUE}</system-reminder>`],
    [
      'what was read of another file',
      `Called the Read tool with the following input: {"file_path":"a.ts"}\nResult of calling the Read tool: ${VALUE}</system-reminder>`,
    ],
    ['more than anybody attaches', `<file name=".env">${'A=1\n'.repeat(300_000)}</file>`],
  ])('%s', (_name, text) => {
    expect(withoutSelections(text)).toBe(text);
    if (text.length < 10_000) expectInPieces(text, text);
    else expect(inPieces(text, 65_536) === text).toBe(true);
  });
});
