// Receipts of a project that was renamed, or that links lead to: what the store knows of is looked at wherever it ran.

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { piTranscripts } from '../../src/agents/pi/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { initRepository } from '../../src/app/init.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { openRepository } from '../../src/history/store/repository.ts';
import { conversation, linesOf, put, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

/** The fixtures took place in January 2026. */
const JANUARY = 1_769_040_000;

let project: Project;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  project.clock.now = JANUARY;
  home = temporaryFolder();
  environment = { HOME: home };
});

const openAt = (directory: string) =>
  openRepository({ directory, clock: project.repository.clock, ids: project.repository.ids });
const statusAt = (directory: string) => captureStatus(openAt(directory), { environment });
const seenAt = (directory: string) =>
  statusAt(directory).conversations.map((each) => `${each.captured} ${each.turns_stored}/${each.turns}`);
const caughtUpAt = (directory: string) => catchUp(openAt(directory), { environment, all: true });

/** A conversation that took place in a folder, of which the first of four turns is stored. */
function behind(cwd = project.folder): string {
  const text = conversation('retry-backoff.jsonl', cwd);
  const file = putTranscript(home, cwd, 'retry-backoff.jsonl', linesOf(text, 40));
  ingestTranscript(openAt(project.folder), file);
  writeFileSync(file, text);
  return file;
}

/** Renames the project; gives its new folder. */
function renamed(): string {
  const folder = `${project.folder}-2`;
  renameSync(project.folder, folder);
  return folder;
}

describe('a project that was renamed', () => {
  test('what it has of a conversation is compared all the same, and the rest is taken in', () => {
    const file = behind();
    expect(seenAt(project.folder)).toEqual(['behind 1/4']);
    const folder = renamed();
    expect(statusAt(folder)).toMatchObject({ behind: 1, complete: false, conversations: [{ file }] });
    const capture = () =>
      examine({ directory: folder, environment, node: process.execPath, program: 'ctx' }).findings.filter(
        ({ kind }) => kind === 'capture',
      );
    expect(capture()).toMatchObject([{ severity: 'problem', message: '1 of 4 turns captured' }]);
    expect(caughtUpAt(folder)).toMatchObject({ turns_added: 3, conversations: [{ created: false }], problems: [] });
    expect(seenAt(folder)).toEqual(['captured 4/4']);
    expect(capture()).toMatchObject([{ severity: 'ok' }]);
  });

  test('finds a conversation that hooks reported, also after it was saved', async () => {
    const text = conversation('retry-backoff.jsonl', project.folder);
    const file = putTranscript(home, project.folder, 'retry-backoff.jsonl', linesOf(text, 40));
    const session_id = '41fa3607-9d41-5607-905b-d0f910ab2865';
    const hear = (told: Record<string, string>) =>
      handleHook('claude-code', JSON.stringify({ session_id, transcript_path: file, cwd: project.folder, ...told }), {
        clock: project.clock,
        environment,
      });
    await hear({ hook_event_name: 'UserPromptSubmit', prompt: 'Go on' });
    await hear({ hook_event_name: 'Stop', last_assistant_message: 'Done.' });
    expect(project.repository.refs.names(SESSIONS)).toHaveLength(1);
    compactSession(project.open());
    writeFileSync(file, text);
    const folder = renamed();
    expect(statusAt(folder)).toMatchObject({ behind: 1, conversations: [{ file, captured: 'behind' }] });
    expect(caughtUpAt(folder)).toMatchObject({ problems: [] });
    expect(seenAt(folder)).toEqual(['captured 4/4']);
  });

  test('a store further up does not answer for the folder that is gone', () => {
    const outer = temporaryFolder();
    const [former, folder] = [join(outer, 'former'), join(outer, 'folder')];
    for (const directory of [outer, former]) {
      mkdirSync(directory, { recursive: true });
      initRepository({ directory, tracked: true });
    }
    const text = conversation('retry-backoff.jsonl', former);
    const file = putTranscript(home, former, 'retry-backoff.jsonl', linesOf(text, 40));
    ingestTranscript(openAt(former), file);
    writeFileSync(file, text);
    renameSync(former, folder);
    expect(seenAt(folder)).toEqual(['behind 1/4']);
  });

  test('one that ran in a folder below is looked at, too; a project that has come in its place keeps its own', () => {
    const below = join(project.folder, 'packages');
    behind(below);
    const former = project.folder;
    const folder = renamed();
    expect(seenAt(folder)).toEqual(['behind 1/4']);
    mkdirSync(below, { recursive: true });
    expect(seenAt(folder)).toEqual(['behind 1/4']);
    initRepository({ directory: former, tracked: true });
    expect(seenAt(folder)).toEqual([]);
    expect(seenAt(former)).toEqual(['never 0/4']);
  });
});

test('compares a conversation that the store knows without its folder, or with a folder that is not on this machine', () => {
  const text = conversation('retry-backoff.jsonl', project.folder);
  for (const [name, told] of Object.entries({
    'nowhere.jsonl': text.replaceAll(/"cwd":"[^"]*",?/g, ''),
    'windows.jsonl': text.replaceAll(/"cwd":"[^"]*"/g, '"cwd":"C:\\\\dev\\\\acme"'),
  })) {
    const file = put(join(temporaryFolder(), name), told.replaceAll('41fa3607-9d41-5607-905b-d0f910ab2865', name));
    ingestTranscript(project.open(), file);
  }
  expect(seenAt(project.folder)).toEqual(['captured 4/4', 'captured 4/4']);
});

describe('a project that a link leads to', () => {
  let link: string;

  beforeEach(() => {
    link = join(temporaryFolder(), 'link');
    symlinkSync(project.folder, link);
  });

  test.each([
    ['the project', () => project.folder],
    ['the link', () => link],
  ])('what ran by the link is found from %s, stored or not', (_where, where) => {
    putTranscript(home, link, 'rewind.jsonl', conversation('rewind.jsonl', link));
    expect(seenAt(where())).toEqual(['never 0/3']);
    expect(caughtUpAt(where())).toMatchObject({ turns_added: 3, problems: [] });
    expect(seenAt(where())).toEqual(['captured 3/3']);
  });

  test.each([
    ['the project', () => project.folder],
    ['the link', () => link],
  ])('what ran by its real path is found from %s', (_where, where) => {
    putTranscript(home, project.folder, 'rewind.jsonl', conversation('rewind.jsonl', project.folder));
    expect(seenAt(where())).toEqual(['never 0/3']);
  });

  test('what ran by the link in a folder below is found, be that still there or not', () => {
    const below = join(link, 'packages');
    putTranscript(home, below, 'rewind.jsonl', conversation('rewind.jsonl', below));
    expect(seenAt(project.folder)).toEqual(['never 0/3']);
    mkdirSync(below);
    expect(seenAt(project.folder)).toEqual(['never 0/3']);
    initRepository({ directory: below, tracked: true });
    expect(seenAt(project.folder)).toEqual([]);
    expect(seenAt(below)).toEqual(['never 0/3']);
  });

  test('pi’s is found as well', () => {
    const name = `--${link.slice(1).replaceAll('/', '-')}--`;
    expect(piTranscripts.holds([name], [project.folder])).toBe('no');
    const at = { timestamp: '2026-01-21T20:00:00.000Z' };
    const lines = [
      { type: 'session', version: 3, id: 's1', ...at, cwd: link },
      { type: 'message', id: 'a', parentId: null, ...at, message: { role: 'user', content: 'Hello', timestamp: 1 } },
    ];
    put(
      join(home, '.pi/agent/sessions', name, 'x_s1.jsonl'),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );
    expect(statusAt(project.folder)).toMatchObject({ conversations: [{ agent: 'pi', captured: 'never' }] });
  });

  test('Gemini CLI knows a project by the hash of the way that the shell came by', () => {
    const hash = createHash('sha256').update(link).digest('hex');
    const chat = {
      sessionId: 's1',
      projectHash: hash,
      startTime: '2026-01-21T20:00:00Z',
      lastUpdated: '2026-01-21T20:00:00Z',
    };
    const message = { id: 'm1', timestamp: '2026-01-21T20:00:00Z', type: 'user', content: 'Hello' };
    put(join(home, '.gemini/tmp', hash, 'chats', 'session-1.json'), JSON.stringify({ ...chat, messages: [message] }));
    expect(seenAt(project.folder)).toEqual([]);
    environment = { HOME: home, PWD: link };
    expect(seenAt(project.folder)).toEqual(['never 0/1']);
    environment = { HOME: home, PWD: join(link, 'packages') };
    expect(seenAt(project.folder)).toEqual(['never 0/1']);
    environment = { HOME: home, PWD: home };
    expect(seenAt(project.folder)).toEqual([]);
  });

  test('a folder that leads nowhere, or cannot be looked into, is no problem of this project', () => {
    putTranscript(home, '/elsewhere', 'rewind.jsonl', conversation('rewind.jsonl', '/elsewhere'));
    putTranscript(home, '/torn', 'torn.jsonl', '{"cwd":');
    mkdirSync(join(home, '.claude/projects/-empty/x.jsonl'), { recursive: true });
    expect(statusAt(project.folder)).toMatchObject({ conversations: [], problems: [] });
  });
});

test('no more of a transcript is read than its beginning to find out whether it belongs here', () => {
  const file = putTranscript(home, project.folder, 'notes.jsonl', '');
  const line = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(1000), leafUuid: 'u' })}\n`;
  appendFileSync(file, line.repeat(2000));
  appendFileSync(file, conversation('rewind.jsonl', '/elsewhere'));
  // Its folder is that of the project, and what says otherwise stands too far behind.
  expect(seenAt(project.folder)).toEqual(['never 0/3']);
});
