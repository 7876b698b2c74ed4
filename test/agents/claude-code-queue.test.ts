// Tests input that is typed while Claude Code works: it is read once, whatever its place in the file, its order and the number of reads.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { fc } from '../support/property.ts';
import { linesOf, type Replay, replay } from './support/replay.ts';

const NOTICE = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>';

/** A line of a transcript out of a word for what it is, and what it says. */
function lineOf(short: string, number: number): string {
  const [what = '', ...words] = short.split(' ');
  const said = words.join(' ').replace('NOTICE', NOTICE);
  const timestamp = new Date(1_768_000_000_000 + number * 1000).toISOString();
  const own = { sessionId: 'session', timestamp };
  const place = { uuid: `line-${number}`, parentUuid: number === 0 ? null : `line-${number - 1}`, ...own };
  const records: Record<string, JsonObject> = {
    user: { type: 'user', message: { role: 'user', content: said }, ...place },
    picture: { type: 'user', message: { role: 'user', content: [textBlock(said), { type: 'image' }] }, ...place },
    agent: {
      type: 'assistant',
      message: { id: `m-${number}`, role: 'assistant', content: [callBlock(number)] },
      ...place,
    },
    attached: { type: 'attachment', attachment: { type: 'queued_command', prompt: said }, ...place },
    noticed: {
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: NOTICE, commandMode: 'task-notification' },
      ...place,
    },
  };
  const content = said === '' ? {} : { content: said };
  return JSON.stringify(records[what] ?? { type: 'queue-operation', operation: what, ...own, ...content });
}

const textBlock = (text: string): JsonObject => ({ type: 'text', text });
const callBlock = (number: number): JsonObject => ({ type: 'tool_use', id: `c-${number}`, name: 'Bash', input: {} });

/** The user's words, in the order in which they are told: those that begin a turn, and those that cut into one. */
const wordsIn = ({ events }: Replay): string[] =>
  events.flatMap((event) =>
    (event.type === 'prompt' || (event.type === 'move' && event.verb === 'interrupt')) && event.text !== ''
      ? [event.text]
      : [],
  );

/** Holds of the file as a whole, of each of its lines by itself, and of every two parts of it. */
function expectWords(lines: readonly string[], words: readonly string[]): void {
  expect(wordsIn(replay(lines))).toEqual(words);
  const starts = lines.map((_, index) => index).slice(1);
  expect(wordsIn(replay(lines, starts))).toEqual(words);
  for (const start of starts) expect([start, wordsIn(replay(lines, [start]))]).toEqual([start, words]);
}

describe('the queue', () => {
  test.each<[string, string[], string[]]>([
    ['given in the middle of a turn', ['enqueue a b', 'remove'], ['a b']],
    ['given, and told when it leaves', ['enqueue a', 'remove a'], ['a']],
    ['told only when it leaves', ['remove a'], ['a']],
    ['told only when it leaves, then as an attachment', ['remove a', 'attached a'], ['a']],
    ['the same again, as an attachment alone', ['enqueue a', 'attached a', 'remove', 'attached a'], ['a', 'a']],
    [
      'first as an attachment, while another is taken back',
      ['enqueue a', 'enqueue b', 'attached a', 'remove', 'popAll b'],
      ['a'],
    ],
    ['and as an attachment', ['enqueue a', 'remove', 'agent', 'attached a'], ['a']],
    ['first as an attachment', ['enqueue a', 'attached a', 'remove'], ['a']],
    ['as an attachment that comes first by itself', ['attached a', 'remove a'], ['a']],
    ['as an attachment alone', ['attached a'], ['a']],
    ['twice the same', ['enqueue a', 'enqueue a', 'remove', 'remove', 'attached a', 'attached a'], ['a', 'a']],
    [
      'two, each with its attachment',
      ['enqueue a', 'enqueue b', 'remove', 'attached a', 'remove', 'attached b'],
      ['a', 'b'],
    ],
    [
      'two attachments before both leave',
      ['enqueue a', 'enqueue b', 'attached a', 'attached b', 'remove', 'remove'],
      ['a', 'b'],
    ],
    ['by what it says, not by its place', ['enqueue a', 'enqueue b', 'remove b', 'popAll a'], ['b']],
    ['taken back', ['enqueue a', 'popAll a', 'agent', 'remove'], []],
    ['taken back with all that waits', ['enqueue a', 'enqueue b', 'popAll', 'remove'], []],
    ['taken back, changed', ['enqueue a', 'popAll a', 'enqueue a b', 'remove'], ['a b']],
    ['becomes a prompt', ['enqueue a', 'dequeue', 'user a', 'agent', 'remove'], ['a']],
    ['a prompt that comes before it leaves', ['enqueue a', 'user a', 'dequeue', 'enqueue b', 'remove'], ['a', 'b']],
    [
      'such a prompt, and another behind it',
      ['enqueue a', 'enqueue b', 'user a', 'dequeue', 'agent', 'remove'],
      ['a', 'b'],
    ],
    [
      'a prompt that says it in other words',
      ['enqueue a', 'enqueue b', 'dequeue', 'user c', 'agent', 'remove'],
      ['c', 'b'],
    ],
    ['a line of the user though it was given', ['enqueue a', 'remove', 'user a'], ['a']],
    ['two such lines', ['enqueue a', 'enqueue b', 'remove', 'remove', 'user a', 'user b'], ['a', 'b']],
    ['the same said again later', ['enqueue a', 'remove', 'agent', 'user a'], ['a', 'a']],
    [
      'the same that waits behind a prompt',
      ['enqueue a', 'enqueue a', 'dequeue', 'user a', 'agent', 'remove'],
      ['a', 'a'],
    ],
    [
      'one becomes a prompt, the next is given',
      ['enqueue a', 'enqueue b', 'dequeue', 'user a', 'agent', 'remove'],
      ['a', 'b'],
    ],
    ['with a picture', ['enqueue a', 'dequeue', 'picture a', 'agent', 'remove'], ['a\n[image]']],
    ['a picture that is given', ['enqueue a', 'remove', 'picture a'], ['a']],
    ['words that are not told', ['enqueue', 'enqueue b', 'remove', 'remove'], ['b']],
    ["the program's own", ['enqueue NOTICE', 'remove', 'enqueue NOTICE', 'remove NOTICE', 'noticed'], []],
    ["the user's before the program's own", ['enqueue NOTICE', 'enqueue a', 'remove', 'popAll', 'remove'], ['a']],
    ["the program's own as a prompt", ['enqueue NOTICE', 'dequeue', 'user NOTICE', 'enqueue a', 'remove'], ['a']],
    [
      'a prompt past a notice that waits',
      ['enqueue NOTICE', 'enqueue a', 'dequeue', 'user a', 'remove', 'enqueue b', 'remove'],
      ['a', 'b'],
    ],
    [
      'a command waits until the turn is over',
      ['enqueue /x', 'enqueue a', 'remove', 'dequeue', 'user /x'],
      ['a', '/x'],
    ],
    ['lost with an agent that died', ['enqueue a', 'user b', 'enqueue c', 'remove', 'remove'], ['b', 'c']],
    ['lost behind a notice', ['enqueue NOTICE', 'dequeue', 'user NOTICE', 'enqueue a', 'user b', 'remove'], ['b']],
    ['what is unknown', ['enqueue a', 'shuffle a', 'remove'], ['a']],
  ])('%s', (_, shorts, words) => {
    expectWords(['user begin', 'agent', ...shorts].map(lineOf), ['begin', ...words]);
  });

  test('what was typed while a prompt was on its way has not been lost', () => {
    const lines = ['user begin', 'agent', 'user b', 'enqueue a', 'remove'].map(lineOf);
    const [first = '', agent = '', prompt = '', typed = '', given = ''] = lines;
    expectWords([first, agent, typed, prompt, given], ['begin', 'b', 'a']);
  });
});

/** An older Claude Code writes no attachments; a newer one before or behind what it writes of the queue. */
const WRITES = ['no attachments', 'attachments first', 'attachments last'] as const;

/** Actions of a user and an agent, by an account of the queue that knows nothing of the reader. */
class Session {
  readonly lines = ['user begin', 'agent'];
  readonly words = ['begin'];
  readonly #writes: (typeof WRITES)[number];
  #queue: string[] = [];

  constructor(writes: (typeof WRITES)[number]) {
    this.#writes = writes;
  }

  type(words: string): void {
    this.lines.push(`enqueue ${words}`);
    this.#queue.push(words);
  }

  takeBack(): void {
    const taken = this.#queue.filter((words) => words !== 'NOTICE');
    this.lines.push(...taken.map((words) => `popAll ${words}`));
    this.#queue = this.#queue.filter((words) => words === 'NOTICE');
  }

  /** The agent gets all that waits. */
  give(): void {
    const left = this.#queue.map(() => 'remove');
    const arrived = this.#queue.map((words) => (words === 'NOTICE' ? 'noticed' : `attached ${words}`));
    if (this.#writes === 'attachments first') this.lines.push(...arrived);
    this.lines.push(...left);
    if (this.#writes === 'attachments last') this.lines.push(...arrived);
    this.lines.push('agent');
    this.words.push(...this.#queue.filter((words) => words !== 'NOTICE'));
    this.#queue = [];
  }

  /** The turn is over, and what waits longest is the next prompt. */
  next(): void {
    const words = this.#queue.shift();
    if (words !== undefined) this.lines.push('dequeue');
    this.lines.push(`user ${words ?? 'direct'}`, 'agent');
    if (words !== 'NOTICE') this.words.push(words ?? 'direct');
  }
}

const DEEDS = ['type', 'type', 'type', 'takeBack', 'give', 'give', 'next'] as const;

test('records each queued word once, in any order of typing, removing, delivering and asking', () => {
  const deed = fc.record({
    what: fc.constantFrom(...DEEDS),
    words: fc.constantFrom('yes', 'go on', 'yes', 'NOTICE', 'not that'),
  });
  const deeds = fc.array(deed, { maxLength: 14 });
  fc.assert(
    fc.property(fc.constantFrom(...WRITES), deeds, fc.array(fc.nat(60), { maxLength: 5 }), (writes, done, cuts) => {
      const session = new Session(writes);
      for (const { what, words } of done) {
        if (what === 'type') session.type(words);
        else session[what]();
      }
      const lines = session.lines.map(lineOf);
      expect(wordsIn(replay(lines))).toEqual(session.words);
      const starts = cuts.map((cut) => 1 + (cut % (lines.length - 1)));
      expect(wordsIn(replay(lines, starts))).toEqual(session.words);
    }),
    { numRuns: 150 },
  );
});

test('a fixture of it, in one go and cut at each line', () => {
  const lines = linesOf(readFileSync(new URL('../../fixtures/claude-code/queue.jsonl', import.meta.url), 'utf8'));
  expectWords(lines, [
    'Run the tests, and mend what is broken.',
    'only the unit tests, the others need a server',
    'also count the skipped ones',
    'and how long does it take?',
    'Unskip those two.',
    'one at a time',
    'Commit it once it passes.',
  ]);
});
