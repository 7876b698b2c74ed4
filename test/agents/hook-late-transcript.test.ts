// A transcript that comes late, or faster than hooks read: each session gets its own part of it, and everything stands once.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import type { CatchUpResult } from '../../src/app/capture/catch-up.ts';
import { git, json, NOON } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell } from './support/day.ts';
import { A, refsOf, sound, workTree } from './support/projects.ts';

/** More than a hook reads at once, as it stands in a line; a form that is quickly read. */
const LARGE = '\n'.repeat(5 * 1024 * 1024);

/** A conversation whose transcript is not there until it appears. */
class Late extends Conversation {
  #held: string[] | null = [];

  override write(text: string): void {
    if (this.#held) this.#held.push(text);
    else super.write(text);
  }

  appear(): void {
    const held = this.#held ?? [];
    this.#held = null;
    super.write(held.join(''));
  }

  /** It is gone for a while. */
  vanish(): void {
    this.#held = [readFileSync(this.transcript, 'utf8')];
    rmSync(this.transcript);
  }

  /** The user is content: the session is saved with the answer. */
  confirmed(): void {
    this.turn('Looks good', 'git commit', 'Committed.');
    this.now += 60;
  }

  /** A turn whose tools give much more than a hook reads at once. */
  largeTurn(prompt: string, answer: string, calls: readonly string[]): void {
    this.prompt(prompt);
    this.lineOfUser(prompt);
    for (const id of calls) {
      this.lineOfCall('Bash', { command: `screenshot ${id}` }, id);
      this.tool('Bash', { command: `screenshot ${id}` }, shell('saved'), id);
      this.lineOfResult(id, 'saved', shell(LARGE));
    }
    this.stop(answer);
    this.lineOfAgent(answer);
  }
}

let dir: string;
let talk: Late;

beforeEach(() => {
  dir = workTree();
  talk = new Late(dir, A, join(dir, '..', 'home', '.claude', 'projects', folderNameOf(dir)));
});

const inHome = () => ({ cwd: dir, now: NOON + 3600, env: { HOME: join(dir, '..', 'home') } });
const captured = (exit: number): CaptureStatus => json(['capture', 'status'], { ...inHome(), exit });
const caughtUp = (): CatchUpResult => json(['capture', 'catch-up'], inHome());

/** Returns the conversation of each session, the earliest first: its task, the messages, and the commands by their calls. */
const story = (): { task: string; said: string[]; ran: unknown[] }[] =>
  [...refsOf(dir, 'archive'), ...refsOf(dir, 'sessions')]
    .sort((a, b) => (a.slice(a.lastIndexOf('/')) < b.slice(b.lastIndexOf('/')) ? -1 : 1))
    .map((ref) => {
      const id = ref.slice(ref.lastIndexOf('/') + 1);
      const own = git(dir, '--git-dir=.ctx', 'log', '--reverse', '--format=%H', `--grep=^Ctx-Session: ${id}$`, ref);
      const oids = own.trim().split('\n');
      const records = oids.flatMap((oid) => recordsOf(dir, `${oid}^!`));
      const { task_description } = JSON.parse(git(dir, '--git-dir=.ctx', 'show', `${ref}:session.json`));
      const ran = records.flatMap((record) => (record.kind === 'command' ? [record['command']] : []));
      return { task: task_description, said: messagesOf(records), ran };
    });

const RETRY = {
  task: 'Add retry',
  said: ['Add retry', 'Retry is in.', 'Looks good', 'Committed.'],
  ran: ['npm test', 'git commit'],
};
const CHANGELOG = { task: 'Write the changelog', said: ['Write the changelog', 'Written.'], ran: ['ls'] };

test.each(['A', 'Option A, with the dates in it'])(
  'a transcript that appears only after the answer “%s” to a question of ctx’s: what raised it is of the session that began',
  (answer) => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    const before = talk.said.length;
    talk.turn('New task: write the release notes for version 2', 'git log', 'ctx has a question.');
    talk.turn(answer, 'git tag', 'The notes are written.');
    expect(refsOf(dir, 'archive')).toHaveLength(1);
    talk.appear();
    talk.hook('SessionEnd', { reason: 'other' });
    const [first, second] = story();
    expect(first).toMatchObject({ task: 'Add retry', said: talk.said.slice(0, before) });
    expect(second?.said).toEqual(talk.said.slice(before));
    expect([first?.ran.length, second?.ran.length]).toEqual([1, 2]);
    expect(captured(0).complete).toBe(true);
    sound(dir);
  },
);

describe('a transcript that appears only after its session was saved', () => {
  beforeEach(() => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.confirmed();
  });

  test('is read in the middle of the next session', () => {
    talk.prompt('Write the changelog');
    talk.lineOfUser('Write the changelog');
    talk.appear();
    talk.lineOfCall('Bash', { command: 'ls' }, 't3');
    talk.tool('Bash', { command: 'ls' }, shell('ok'), 't3');
    talk.lineOfResult('t3', 'ok', shell('ok'));
    talk.stop('Written.');
    talk.lineOfAgent('Written.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(story()).toEqual([RETRY, CHANGELOG]);
    expect(captured(0)).toMatchObject({ turns: 3, turns_stored: 3, complete: true });
    sound(dir);
  });

  test('is read at the end of the next session', () => {
    talk.turn('Write the changelog', 'ls', 'Written.');
    talk.appear();
    talk.hook('SessionEnd', { reason: 'other' });
    expect(story()).toEqual([RETRY, CHANGELOG]);
    expect(captured(0).complete).toBe(true);
  });

  test.each(['SessionEnd', 'catch-up'])('is read after several sessions were saved, with %s', (by) => {
    talk.turn('Write the changelog', 'ls', 'Written.');
    talk.confirmed();
    talk.turn('Tag the release', 'git tag', 'Tagged.');
    talk.confirmed();
    talk.appear();
    expect(captured(1)).toMatchObject({ turns: 6, turns_stored: 0, behind: 1 });
    if (by === 'SessionEnd') talk.hook('SessionEnd', { reason: 'other' });
    else expect(caughtUp().conversations).toMatchObject([{ created: false, turns_added: 6 }]);
    const end = { said: ['Looks good', 'Committed.'], ran: ['git commit'] };
    expect(story()).toEqual([
      RETRY,
      { ...CHANGELOG, said: [...CHANGELOG.said, ...end.said], ran: [...CHANGELOG.ran, ...end.ran] },
      { task: 'Tag the release', said: ['Tag the release', 'Tagged.', ...end.said], ran: ['git tag', ...end.ran] },
    ]);
    expect(captured(0)).toMatchObject({ turns: 6, turns_stored: 6, complete: true });
    const before = git(dir, '--git-dir=.ctx', 'for-each-ref');
    expect(caughtUp()).toMatchObject({ conversations: [], problems: [] });
    expect(git(dir, '--git-dir=.ctx', 'for-each-ref')).toBe(before);
    sound(dir);
  });

  test('is read by a catch-up while the next session is open', () => {
    talk.turn('Write the changelog', 'ls', 'Written.');
    talk.appear();
    expect(caughtUp().conversations).toMatchObject([{ created: false, turns_added: 3 }]);
    expect(story()).toEqual([RETRY, CHANGELOG]);
    expect(captured(0).complete).toBe(true);
    sound(dir);
  });

  test('is read while the next session is larger than what hooks read at once', () => {
    talk.largeTurn('Write the changelog', 'Written.', ['s1', 's2']);
    talk.appear();
    talk.hook('SessionEnd', { reason: 'other' });
    expect(story()).toMatchObject([RETRY, { said: ['Write the changelog'], ran: ['screenshot s1', 'screenshot s2'] }]);
    expect(captured(1)).toMatchObject({ turns: 3, turns_stored: 2, conversations: [{ partial: true }] });
    expect(caughtUp().conversations).toMatchObject([{ created: false, turns_added: 1 }]);
    expect(story()).toEqual([RETRY, { ...CHANGELOG, ran: ['screenshot s1', 'screenshot s2'] }]);
    expect(captured(0).complete).toBe(true);
  });

  test('is read if the next session began with the same words', () => {
    talk.turn('Add retry', 'ls', 'There is one.');
    talk.appear();
    talk.hook('SessionEnd', { reason: 'other' });
    expect(story()).toEqual([RETRY, { task: 'Add retry', said: ['Add retry', 'There is one.'], ran: ['ls'] }]);
  });
});

test('a transcript that is gone for a while, in which its session is saved, is read on where it was left', () => {
  talk.appear();
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.hook('PreCompact', { trigger: 'auto' });
  talk.vanish();
  talk.turn('Make it five tries', 'npm test -- five', 'Five it is.');
  talk.confirmed();
  talk.turn('Write the changelog', 'ls', 'Written.');
  talk.appear();
  talk.hook('SessionEnd', { reason: 'other' });
  const said = ['Add retry', 'Retry is in.', 'Make it five tries', 'Five it is.', 'Looks good', 'Committed.'];
  expect(story()).toEqual([{ ...RETRY, said, ran: ['npm test', 'npm test -- five', 'git commit'] }, CHANGELOG]);
  expect(captured(0).complete).toBe(true);
});

test('a turn too large for the hooks to read stays with its session, and its commands are kept once', () => {
  const calls = ['s1', 's2', 's3', 's4', 's5'];
  talk.appear();
  talk.largeTurn('Add retry', 'Retry is in.', calls);
  talk.confirmed();
  talk.turn('Write the changelog', 'ls', 'Written.');
  talk.hook('SessionEnd', { reason: 'other' });
  caughtUp();
  const screenshots = calls.map((id) => `screenshot ${id}`);
  expect(story()).toEqual([{ ...RETRY, ran: [...screenshots, 'git commit'] }, CHANGELOG]);
  expect(captured(0).complete).toBe(true);
  expect(caughtUp().conversations).toEqual([]);
  sound(dir);
});
