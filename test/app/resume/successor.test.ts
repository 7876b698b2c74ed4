// A session that resumes an ended one: what is handed over is what was said in both.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestLatestTurns } from '../../../src/app/resume/latest-turns.ts';
import { beginningOf, type Launch, planLaunch } from '../../../src/app/resume/launch.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { type ResumeResult, resumeSession } from '../../../src/app/resume/resume.ts';
import * as ctx from '../../../src/index.ts';
import { makeProject, type Project } from '../../support/store.ts';

const CLAUDE = 'aaaaaaaa-0000-4000-8000-000000000001';
const DAY = 86_400;

const aroundOf = ({ folder }: Project) => ({ directory: folder, environment: { HOME: folder } });

/** A message of a conversation: by the user, or by the agent. */
type Said = ['user' | 'assistant', string];

/** Writes a transcript of Claude Code. */
function write(file: string, cwd: string, said: readonly Said[]): void {
  const lines = said.map(([role, text], index) => ({
    ...{ type: role, uuid: `u${index}`, parentUuid: index === 0 ? null : `u${index - 1}`, sessionId: CLAUDE, cwd },
    ...{ version: '2.1.332', timestamp: `2026-01-22T00:00:0${index}.000Z` },
    message:
      role === 'user'
        ? { role, content: text }
        : { id: `m${index}`, role, model: 'claude-opus-4', content: [{ type: 'text', text }] },
  }));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Resumes the one session that can be resumed, as the command does. */
function resume(project: Project, reopen = false): ResumeResult {
  const [row, ...others] = resumableSessions(project.open()).rows;
  expect(others).toEqual([]);
  const ingest = (id: string): void => void ingestLatestTurns(project.open(), id, aroundOf(project));
  return resumeSession(project.open(), row?.session_id ?? '', row?.status ?? 'paused', { ingest, reopen });
}

/** Plans the start of an agent, as the command does. */
function launch(project: Project, result: ResumeResult, named: string | null): Launch {
  const around = aroundOf(project);
  return planLaunch(project.open(), result, beginningOf(project.open(), result, named, around), around);
}

/** Returns the conversation that was written for an agent. */
function writtenIn({ folder }: Project, { args, conversation }: Launch): string {
  expect(conversation).toBe('written');
  const id = args.at(-1) as string;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // Gemini CLI has only the end of the id in the name.
  const name = files.find((path) => path.includes(id.slice(-9)) && /^\.(?:codex|pi|gemini)\//.test(path));
  return readFileSync(join(folder, name as string), 'utf8');
}

/** A session that was saved while its agent was at work, and what that has said since. */
function savedAtWork(): Project & { file: string } {
  const project = makeProject();
  const file = join(project.folder, '.claude', 'projects', 'p', `${CLAUDE}.jsonl`);
  const before: Said[] = [
    ['user', 'Fix the login bug'],
    ['assistant', 'Looking at it: plover.'],
  ];
  write(file, project.folder, before.slice(0, 1));
  ctx.ingestTranscript(project.repository, file);
  project.clock.now += 8 * DAY;
  ctx.cleanupStaleSessions(project.open());
  write(file, project.folder, [
    ...before,
    ['user', 'Use argon2'],
    ['assistant', `argon2 is in.${' Done.'.repeat(800)} xyzzy`],
  ]);
  return { ...project, file };
}

const inOrder = (text: string, words: readonly string[]): void => {
  const places = words.map((word) => text.indexOf(word));
  expect(Math.min(...places), text).toBeGreaterThanOrEqual(0);
  expect(places).toEqual([...places].sort((a, b) => a - b));
};

const ALL = ['Fix the login bug', 'plover', 'Use argon2', 'xyzzy'];

test('what was said before and after a session was saved is written for another agent, at once and once it is open again', () => {
  const project = savedAtWork();
  for (const agent of ['codex', 'pi', 'gemini'])
    inOrder(writtenIn(project, launch(project, resume(project), agent)), ALL);
});

test('it is in a context, too, that is cut to the longest argument', () => {
  const project = savedAtWork();
  for (const isOpen of [false, true]) {
    const result = resume(project);
    expect(result.continues === null).toBe(isOpen);
    const { args } = launch(project, { ...result, context: 'x'.repeat(200_000) }, 'copilot');
    inOrder(args.at(-1) as string, ALL);
  }
});

test('a cut context has the same facts and remarks', () => {
  const project = savedAtWork();
  rmSync(project.file);
  const { context, contextWithin } = resume(project);
  expect(contextWithin(8000).replaceAll(/=== ctx \w+/g, '')).toBe(context.replaceAll(/=== ctx \w+/g, ''));
  expect(contextWithin(0)).not.toContain('plover');
});

test('none is written once a part of it is in no transcript: the context has it', () => {
  const project = savedAtWork();
  resume(project);
  ctx.compactSession(project.open());
  expect(launch(project, resume(project, true), 'codex').conversation).toBe('written');
  ctx.observeNote(project.open(), 'the word is frotz');
  const { conversation, args } = launch(project, resume(project), 'pi');
  expect(conversation).toBe('new');
  inOrder(args.at(-1) as string, [...ALL, 'frotz']);
});

test('a prompt with the words of the task is a part of the history', () => {
  const project = makeProject();
  const file = join(project.folder, `${CLAUDE}.jsonl`);
  const said: Said[] = [
    ['user', 'continue'],
    ['assistant', 'ONE'],
    ['user', 'continue'],
    ['assistant', 'TWO'],
  ];
  write(file, project.folder, said.slice(0, 2));
  ctx.ingestTranscript(project.repository, file);
  ctx.compactSession(project.open());
  resume(project, true);
  write(file, project.folder, said);
  const { context } = resume(project);
  expect(context.match(/^ {2}(?:continue|ONE|TWO)$/gm)).toEqual(['  continue', '  ONE', '  continue', '  TWO']);
});
