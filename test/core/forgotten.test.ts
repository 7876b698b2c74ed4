// Tests that forgotten texts are recognised, however they are written and in whatever place, by nothing but hashes.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type ForgottenList,
  forgetText,
  forgetWhole,
  forgottenFinder,
  NOTHING_FORGOTTEN,
  replaceForgotten,
} from '../../src/core/forgotten.ts';
import {
  type Finder,
  foundIn,
  literalFinder,
  replaceBytes,
  replacePieces,
  replaceText,
} from '../../src/core/stretches.ts';

const hash = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');
const listOf = (texts: readonly string[], wholes: readonly string[] = []): ForgottenList => ({
  ...NOTHING_FORGOTTEN,
  texts: texts.map((text) => forgetText(text, hash)),
  wholes: wholes.map((text) => forgetWhole(text, hash)),
});
const MARKER = /\[forgotten:[0-9a-f]{8}\]/g;
/** A text with every marker as `#`. */
const told = (list: ForgottenList, text: string): string => replaceForgotten(list, hash)(text).replace(MARKER, '#');

describe('a text that was forgotten', () => {
  const texts = ['secret', 'a longer riddle of many words', 'mit "Anführung"\nund Zeile', 'exactly 16 chars'];

  it.each(texts)('is known again: %j', (text) => {
    const list = listOf(texts);
    const json = JSON.stringify(text).slice(1, -1);
    const twice = JSON.stringify(json).slice(1, -1);
    for (const way of [text, json, twice, encodeURIComponent(text)]) {
      expect(told(list, way)).toBe('#');
      expect(told(list, `${way}${way} and ü ${way}!`)).toBe('## and ü #!');
    }
    expect(told(list, text.slice(1))).toBe(text.slice(1));
    expect(told(list, text.toUpperCase())).toBe(text.toUpperCase());
  });

  it('has the same marker everywhere, and another one than other texts', () => {
    const replace = replaceForgotten(listOf(texts), hash);
    expect(replace('secret')).toBe(replace('secret'));
    expect(replace('secret')).not.toBe(replace('exactly 16 chars'));
  });

  it('is known again where it held the marker of another', () => {
    const list = listOf(['secret']);
    const marked = replaceForgotten(list, hash)('behind the secret door of the house');
    const both = { ...list, texts: [...list.texts, forgetText(marked, hash)] };
    expect(told(both, 'It is behind the secret door of the house.')).toBe('It is #.');
  });

  it('is not revealed by the list', () => {
    const list = JSON.stringify(listOf(texts, ['something that stands alone']));
    for (const text of [...texts, 'something that stands alone', 'many words', 'alone'])
      expect(list).not.toContain(text);
  });

  it('is looked for in time that grows with the text alone', () => {
    let hashes = 0;
    const list = listOf(['a'.repeat(5000), `${'ab'.repeat(2500)}c`]);
    const replace = replaceForgotten(list, (text) => {
      hashes += 1;
      return hash(text);
    });
    const before = hashes;
    replace(`${'ab'.repeat(100_000)}`);
    expect(hashes - before).toBeLessThan(10);
    expect(told(list, 'a'.repeat(10_000))).toBe('##');
  });

  it('is found in pieces, also across their borders, whatever their sizes', () => {
    const content = Buffer.from(`before ${texts.join(' between ')} behind, secretsecret`);
    const expected = (finder: Finder): Buffer => replaceBytes(content, finder) as Buffer;
    const finders = [
      forgottenFinder(listOf(texts), hash) as Finder,
      literalFinder(new Map(texts.map((text) => [text, '<gone>']))),
      literalFinder(
        new Map([...texts, ...Array.from({ length: 40 }, (_, at) => `filler ${at}`)].map((text) => [text, '<gone>'])),
      ),
    ];
    for (const finder of finders) {
      for (let size = 1; size <= content.length; size += size < 20 ? 1 : 13) {
        const pieces = function* (): Generator<Buffer> {
          for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
        };
        expect(Buffer.concat([...replacePieces(pieces(), finder)].map((piece) => Buffer.from(piece)))).toEqual(
          expected(finder),
        );
        expect(foundIn(pieces(), finder)).toBe(true);
      }
      expect(foundIn([Buffer.from('nothing of it')], finder)).toBe(false);
    }
  });
});

describe('a string that was forgotten', () => {
  const list = listOf([], ['It stands alone or not at all']);

  it('is known as a whole, whatever blanks are around it', () => {
    expect(told(list, 'It stands alone or not at all')).toBe('#');
    expect(told(list, '\n It stands alone or not at all\t')).toBe('#');
    expect(told(list, 'He said: It stands alone or not at all')).toContain('It stands alone');
  });
});

describe('literals', () => {
  it('of which one begins another give way to the longest', () => {
    const finder = literalFinder(
      new Map([
        ['secret', '1'],
        ['secret word', '2'],
        ['word of', '3'],
      ]),
    );
    expect(replaceText('a secret word of honour, a secret', finder)).toBe('a 2 of honour, a 1');
  });

  it('are bytes: what is no text stays what it was', () => {
    const bytes = Buffer.from([0xff, 0xfe, ...Buffer.from('secret'), 0x80]);
    expect(replaceBytes(bytes, literalFinder(new Map([['secret', '-']])))).toEqual(
      Buffer.from([0xff, 0xfe, 0x2d, 0x80]),
    );
  });
});
