// opencode with our plugin in it and the real hook command behind that: what a compaction does to the session, and what not.
import { beforeEach, expect, test } from 'vitest';
import { json, PROGRAM } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { type OpencodeHooks, opencodeWith } from './support/own-files.ts';
import { sound, statusOf, workTree } from './support/projects.ts';

const sessionID = 'ses_a';

let dir: string;
let hooks: OpencodeHooks;
beforeEach(async () => {
  dir = workTree();
  hooks = await opencodeWith(`'${process.execPath}' '${PROGRAM}' hook opencode`, dir);
});

const tell = (type: string, properties: object): unknown => hooks.event({ event: { type, properties } });
const says = (text: string, more: object = {}): unknown =>
  tell('message.part.updated', { part: { type: 'text', sessionID, text, time: { start: 1, end: 2 }, ...more } });
const idle = (): unknown => tell('session.idle', { sessionID });

const prompt = (text: string): unknown =>
  hooks['chat.message']({ sessionID }, { message: { id: 'msg_1' }, parts: [{ type: 'text', text, id: 'prt_1' }] });

async function turn(text: string, answer: string): Promise<void> {
  await prompt(text);
  await says(answer);
  await idle();
}

const summary = (time: object): unknown =>
  tell('message.updated', {
    info: { id: 'msg_2', sessionID, role: 'assistant', mode: 'compaction', summary: true, time },
  });

/** As opencode sums up: told by its hook, by its message, or by both. */
const WAYS: [string, () => Promise<void>][] = [
  [
    'by the hook and the message',
    async () => {
      await hooks['experimental.session.compacting']({ sessionID });
      await summary({ created: 1 });
      await says('All about doors?');
      await summary({ created: 1, completed: 2 });
    },
  ],
  [
    'by the hook alone',
    async () => {
      await hooks['experimental.session.compacting']({ sessionID });
      await says('All about doors?');
    },
  ],
  [
    'by the message alone',
    async () => {
      await summary({ created: 1 });
      await says('All about doors?');
      await summary({ created: 1, completed: 2 });
    },
  ],
];

/** Returns the state of the session after all events. */
async function stateAtLast(): Promise<unknown> {
  await hooks.dispose();
  sound(dir);
  expect(JSON.stringify(recordsOf(dir, 'STAGE'))).not.toContain('All about doors');
  return statusOf(dir).session_state;
}

test.each(WAYS)(
  'a compaction between two turns, reported %s, leaves the state and its summary',
  async (_way, compact) => {
    await turn('Paint the door', 'The door is red.');
    await compact();
    await tell('session.compacted', { sessionID });
    await idle();
    expect(await stateAtLast()).toEqual({ kind: 'PendingComplete', summary: 'The door is red.' });
    expect(storyOf(recordsOf(dir, 'STAGE')).filter((line) => / → /.test(line))).toEqual(['done → PendingComplete']);
  },
);

test.each(WAYS)('a question stays open over a compaction that is reported %s', async (_way, compact) => {
  await turn('Paint the door', 'Which colour shall I take?');
  await compact();
  await tell('session.compacted', { sessionID });
  await idle();
  expect(await stateAtLast()).toMatchObject({ kind: 'AwaitingUser', question: 'Which colour shall I take?' });
});

test('a turn that was broken off stays so over a compaction, and over one that fails', async () => {
  await prompt('Paint the door');
  await tell('session.error', { sessionID, error: { name: 'MessageAbortedError' } });
  await idle();
  for (const end of ['session.compacted', 'session.error']) {
    await WAYS[0]?.[1]();
    await tell(end, { sessionID });
    await idle();
  }
  expect(await stateAtLast()).toMatchObject({ kind: 'Interrupted', user_message: 'Paint the door' });
});

test('a compaction that fails breaks nothing off that is done', async () => {
  await turn('Paint the door', 'The door is red.');
  await WAYS[0]?.[1]();
  await tell('session.error', { sessionID, error: { name: 'MessageAbortedError' } });
  await idle();
  expect(await stateAtLast()).toEqual({ kind: 'PendingComplete', summary: 'The door is red.' });
});

test.each(WAYS)(
  'a turn with a compaction in its middle, reported %s, ends with its own last words',
  async (_way, compact) => {
    await prompt('Paint the door');
    await says('First the frame.');
    await compact();
    await says('Continue if you have next steps.', { synthetic: true });
    await tell('session.compacted', { sessionID });
    await says('The door is red.');
    await idle();
    expect(await stateAtLast()).toEqual({ kind: 'PendingComplete', summary: 'The door is red.' });
    expect(json(['log'], { cwd: dir })).toEqual([]);
  },
);

test('a turn that a compaction is the last of ends with what was said before', async () => {
  await prompt('Paint the door');
  await says('The door is red.');
  await WAYS[0]?.[1]();
  await says('Continue if you have next steps.', { synthetic: true });
  await tell('session.compacted', { sessionID });
  await idle();
  expect(await stateAtLast()).toEqual({ kind: 'PendingComplete', summary: 'The door is red.' });
});

test('a prompt that waits for a compaction to end is answered like any other', async () => {
  await turn('Paint the door', 'The door is red.');
  await hooks['experimental.session.compacting']({ sessionID });
  await prompt('Also the frame');
  await says('All about doors?');
  await tell('session.compacted', { sessionID });
  await says('The frame is red, too.');
  await idle();
  expect(await stateAtLast()).toEqual({ kind: 'PendingComplete', summary: 'The frame is red, too.' });
});
