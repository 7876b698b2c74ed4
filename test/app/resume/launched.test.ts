// An agent that was started for a resumed session: its conversation is a part of that session, and the handover is nobody's words.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/index.ts';
import { STARTS } from '../../../src/agents/starts.ts';
import { readConversation } from '../../../src/app/conversation/read.ts';
import { checkStore } from '../../../src/app/fsck.ts';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { ingestLatestTurns } from '../../../src/app/resume/latest-turns.ts';
import { beginningOf, type Launch, planLaunch, starterOf } from '../../../src/app/resume/launch.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { type ResumeResult, resumeSession } from '../../../src/app/resume/resume.ts';
import { stopSession } from '../../../src/app/resume/stop.ts';
import type { Surroundings } from '../../../src/app/setup/hook-places.ts';
import { REQUEST } from '../../../src/core/resume/own-words.ts';
import { readChain } from '../../../src/history/chain/chain.ts';
import { sessionRef } from '../../../src/history/names/layout.ts';
import type { Repository } from '../../../src/history/store/repository.ts';
import * as ctx from '../../../src/index.ts';
import { errorOf, makeProject, type Project, temporaryFolder } from '../../support/store.ts';

const CLAUDE = 'aaaaaaaa-0000-4000-8000-000000000001';

/** Passes an event to ctx, as Claude Code does. */
function hook(project: Project, event: string, more: object = {}, environment: Record<string, string> = {}) {
  const { session_id = CLAUDE, ...rest } = more as { session_id?: string };
  const payload = { session_id, hook_event_name: event, cwd: project.folder, transcript_path: null, ...rest };
  return handleHook('claude-code', JSON.stringify(payload), {
    directory: project.folder,
    environment,
    clock: project.clock,
  });
}

interface Resumed {
  project: Project;
  id: string;
  resumed: ResumeResult;
  environment: Record<string, string>;
}

/** A session that was stopped and resumed, with what the agent is started with. */
function resumed(agent = 'claude-code'): Resumed {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Add retry with backoff', { agent });
  ctx.observeNote(project.repository, 'the word is plover');
  stopSession(project.open());
  const result = resumeSession(project.open(), id, 'paused');
  const launch = launchOf(project.open(), result, null, { directory: project.folder, environment: {} });
  return { project, id, resumed: result, environment: { ...launch.env } };
}

/** Plans the start of an agent, as the command does. */
function launchOf(repository: Repository, result: ResumeResult, named: string | null, around: Surroundings): Launch {
  return planLaunch(repository, result, beginningOf(repository, result, named, around), around);
}

const sourcesOf = (project: Project, id: string): string[] => {
  const { refs, objects } = project.open();
  return readChain(objects, refs.read(sessionRef(id)) as string).session.sources.map(
    (source) => source.agent_session_id,
  );
};

describe('a conversation that ctx has begun', () => {
  test("belongs to the session from its start on, and its first prompt is nobody's words", async () => {
    const { project, id, environment } = resumed();
    expect(await hook(project, 'SessionStart', { source: 'startup' }, environment)).toBeNull();
    expect(sourcesOf(project, id)).toEqual([CLAUDE]);
    await hook(project, 'UserPromptSubmit', { prompt: REQUEST }, environment);
    await hook(project, 'Stop', { last_assistant_message: 'I resume: retry with backoff.' }, environment);
    const { session_id, session_state } = ctx.activeSession(project.open()) ?? {};
    expect({ session_id, session_state }).toEqual({
      session_id: id,
      session_state: { kind: 'PendingComplete', summary: 'I resume: retry with backoff.' },
    });
    expect(resumableSessions(project.open()).rows).toHaveLength(1);
    expect(JSON.stringify([...readConversation(project.open(), id)])).not.toContain(REQUEST);
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test('belongs to it by its first prompt, if the agent says nothing of its start', async () => {
    const { project, id, environment, resumed: result } = resumed();
    await hook(project, 'UserPromptSubmit', { prompt: `/workspace.debug ${result.context}` }, environment);
    expect(sourcesOf(project, id)).toEqual([CLAUDE]);
    expect(ctx.activeSession(project.open())).toMatchObject({ session_id: id, session_state: { kind: 'Running' } });
  });

  test('does not take along an agent that this agent starts itself', async () => {
    const { project, id, environment } = resumed();
    await hook(project, 'SessionStart', { source: 'startup' }, environment);
    const other = 'bbbbbbbb-0000-4000-8000-000000000002';
    await hook(project, 'SessionStart', { session_id: other, source: 'startup' }, environment);
    expect(sourcesOf(project, id)).toEqual([CLAUDE]);
  });

  test('takes nothing along where the session has ended meanwhile', async () => {
    const { project, environment } = resumed();
    ctx.compactSession(project.open());
    await hook(project, 'UserPromptSubmit', { prompt: 'Fix the build' }, environment);
    expect(ctx.activeSession(project.open())).toMatchObject({ task_description: 'Fix the build' });
  });
});

describe('a session that its user stops in the middle of a turn', () => {
  test('stays paused at the end of the turn, and continues with the next prompt', async () => {
    const project = makeProject();
    await hook(project, 'UserPromptSubmit', { prompt: 'Add retry with backoff' });
    const id = ctx.activeSession(project.open())?.session_id as string;
    stopSession(project.open());
    await hook(project, 'PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'ctx stop' },
      tool_response: 'Session saved.',
    });
    await hook(project, 'Stop', { last_assistant_message: 'Paused. See you.' });
    await hook(project, 'SessionEnd', { reason: 'other' });
    expect(project.open().refs.stage()).toBeNull();
    expect(resumableSessions(project.open()).rows).toMatchObject([{ session_id: id, status: 'paused' }]);
    await hook(project, 'SessionStart', { source: 'resume' });
    expect(project.open().refs.stage()).toBeNull();
    await hook(project, 'UserPromptSubmit', { prompt: 'Also add a log line for each attempt' });
    expect(ctx.activeSession(project.open())).toMatchObject({ session_id: id, status: 'active' });
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });
});

test('the start of another conversation offers the last paused session, in one passive line', async () => {
  const project = makeProject();
  ctx.startSession(project.repository, 'Add retry\nwith backoff');
  const { session_id } = stopSession(project.open());
  project.clock.now += 7200;
  const answer = await hook(project, 'SessionStart', { source: 'startup' });
  expect(answer).toEqual({
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: `ctx, the memory of this project, has a paused session (last active 2 hours ago; ctx resume ${session_id.slice(-12)}), with this title: Add retry with backoff`,
    },
  });
});

describe('how an agent is started', () => {
  const around = (home: string) => ({ directory: home, environment: { HOME: home } });

  test.each(STARTS.map((start) => [start.agent, start] as const))(
    '%s has its own way, and one for a new conversation',
    (_name, start) => {
      expect(AGENTS.map(({ name }) => name)).toContain(start.agent);
      expect(start.resume('the-id').join(' ')).toContain('the-id');
      const words = start.begin({ context: 'CONTEXT', command: '/go', request: 'REQUEST' });
      expect(words.join(' ')).toContain('CONTEXT');
      expect(words.some((word) => word.startsWith('/go'))).toBe(true);
      expect(start.begin({ context: 'CONTEXT', command: null, request: 'REQUEST' }).join(' ')).not.toContain('/go');
    },
  );

  /** Patterns by which the programs find marks of files in a prompt (Gemini CLI 0.61, opencode 1.18). */
  const FILES = {
    gemini: /(?<!\\)@(?:(?:"(?:[^"]*)")|(?:\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r])))+/g,
    opencode: /(?<![\w`])@(\.?[^\s`,.]*(?:\.[^\s`,.]+)*)/g,
  };

  test.each([
    ['gemini', 'a@\u200bb.c, `@\u200bscope/pkg`'],
    ['opencode', 'a@b.c, `@scope/pkg`'],
  ] as const)(
    '%s finds no file to read and no command to run in the context, which says what was put in',
    (agent, kept) => {
      const context = 'See\n!`touch a`, !{touch b}, @notes.md, ("@/etc/hosts"), a@b.c, `@scope/pkg` @ home';
      const prompt = starterOf(agent, null).begin({ context, command: '/go', request: REQUEST }).at(-1) as string;
      const [first, rest] = prompt.split('\n');
      expect(first).toMatch(/^\/go See Behind marks .* invisible character \(U\+200B\)/);
      expect(rest).toBe(`!\u200b\`touch a\`, !\u200b{touch b}, @\u200bnotes.md, ("@\u200b/etc/hosts"), ${kept} @ home`);
      for (const [mark] of prompt.matchAll(FILES[agent])) expect(mark.replace(/^@$/, '@\u200b')).toMatch(/^@\u200b/);
    },
  );

  test.each(['gemini', 'opencode'])('%s gets a context without marks as it is', (agent) => {
    expect(starterOf(agent, null).begin({ context: 'See\nme', command: null, request: REQUEST }).at(-1)).toBe(
      'See\nme',
    );
  });

  test('pi gets a command in a message of its own: its template may have no place for the context', () => {
    const given = { context: 'CONTEXT', command: '/go', request: REQUEST };
    expect(starterOf('pi', null).begin(given)).toEqual(['/go', 'CONTEXT']);
  });

  /** A session of Claude Code whose transcript was ingested. */
  function ingested(): { project: Project; file: string; result: ResumeResult } {
    const project = makeProject();
    const file = join(temporaryFolder(), `${CLAUDE}.jsonl`);
    const line = {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: CLAUDE,
      cwd: project.folder,
      version: '2.1.332',
      timestamp: '2026-01-22T00:00:00.000Z',
      message: { role: 'user', content: 'The word is plover.' },
    };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    const { session_id } = ctx.ingestTranscript(project.repository, file);
    stopSession(project.open());
    return { project, file, result: resumeSession(project.open(), session_id, 'paused') };
  }

  test('in its own conversation while the agent still has it, else in one that ctx writes', () => {
    const { project, file, result } = ingested();
    expect(launchOf(project.open(), result, null, around(project.folder))).toMatchObject({
      ...{
        program: 'claude',
        args: ['--resume', CLAUDE],
        conversation: 'own',
        env: {},
        line: `claude --resume ${CLAUDE}`,
      },
      directory: project.folder,
    });
    rmSync(file);
    expect(existsSync(file)).toBe(false);
    const written = launchOf(project.open(), result, null, around(project.folder));
    expect(written).toMatchObject({ program: 'claude', conversation: 'written', env: {} });
    const [word, id] = written.args;
    expect([word, id === CLAUDE]).toEqual(['--resume', false]);
    expect(sourcesOf(project, result.session_id)).toEqual([CLAUDE, id]);
    const again = launchOf(project.open(), result, null, around(project.folder));
    expect(again).toMatchObject({ args: ['--resume', id], conversation: 'own' });
  });

  test('in one that ctx writes if its own was begun in a folder that has moved, and it finds that from there only', () => {
    const { project, result } = ingested();
    const moved = `${project.folder}-moved`;
    renameSync(project.folder, moved);
    const repository = ctx.openRepository({ directory: moved, clock: project.clock });
    const there = { ...result, directory: moved };
    expect(launchOf(repository, there, null, around(moved)).conversation).toBe('written');
  });

  test('in a new conversation with the context if nothing can be put where the agent looks', () => {
    const { project, file, result } = ingested();
    rmSync(file);
    const launch = launchOf(project.open(), result, null, { directory: project.folder, environment: {} });
    expect(launch).toMatchObject({ program: 'claude', conversation: 'new' });
    expect(launch.args.slice(0, 1)).toEqual(['--append-system-prompt']);
    expect(launch.args[1]).toContain('The word is plover.');
  });

  test('a compressed transcript still counts as there', () => {
    const { project, file, result } = ingested();
    renameSync(file, `${file}.zst`);
    expect(launchOf(project.open(), result, null, around(project.folder)).conversation).toBe('own');
  });

  test('as another agent in a transcript that ctx writes for it, as one that takes none with the context', () => {
    const { project, result } = ingested();
    const launch = launchOf(project.open(), result, 'codex', around(project.folder));
    expect(launch).toMatchObject({ agent: 'codex', program: 'codex', conversation: 'written' });
    expect(launch.args[0]).toBe('resume');
    const other = launchOf(project.open(), result, 'copilot', around(project.folder));
    expect(other).toMatchObject({ agent: 'copilot', conversation: 'new' });
  });

  test('with less context where a program could not take all of it as one argument', () => {
    const { project, result } = ingested();
    const long = { ...result, context: 'x'.repeat(200_000) };
    const { args } = launchOf(project.open(), long, 'pi', { directory: project.folder, environment: {} });
    expect(Buffer.byteLength(args[0] as string)).toBeLessThan(131_072);
    expect(args[0]).toContain('The word is plover.');
  });

  test('is refused for an agent that ctx cannot start, or if none is known', () => {
    expect(errorOf(() => starterOf('vim', null))).toMatchObject({
      code: 'not_found',
      message: 'ctx cannot start the agent vim.',
    });
    expect(errorOf(() => starterOf(null, null)).message).toBe('The session names no agent.');
  });

  test('in a new one that begins with the command of the session, whose instructions may have changed', () => {
    const { project, file, result } = ingested();
    rmSync(file);
    const begun = { ...result, command: '/review' };
    const launch = launchOf(project.open(), begun, null, around(project.folder));
    expect(launch).toMatchObject({ conversation: 'new' });
    expect(launch.args.at(-1)).toBe('/review');
    const other = launchOf(project.open(), begun, 'copilot', around(project.folder));
    expect(other.args.at(-1)).toMatch(/^From ctx/);
    const file_ = join(project.folder, '.gemini', 'commands', 'review.toml');
    mkdirSync(dirname(file_), { recursive: true });
    writeFileSync(file_, 'prompt = "Review it."');
    const known = launchOf(project.open(), begun, 'gemini', around(project.folder));
    expect(known.args.at(-1)).toMatch(/^\/review From ctx/);
  });

  describe('whose conversations lie together', () => {
    const ID = 'ses_1';

    /** A session that was reported by the hooks of opencode, and its conversation as opencode keeps it. */
    async function kept(): Promise<{ project: Project; id: string; data: string }> {
      const project = makeProject();
      const prompt = { hook_event_name: 'prompt', session_id: ID, cwd: project.folder, prompt: 'Find the word' };
      const { directory, clock, environment } = { ...around(project.folder), clock: project.clock };
      await handleHook('opencode', JSON.stringify(prompt), { directory, environment, clock });
      const id = (ctx.activeSession(project.open()) as { session_id: string }).session_id;
      const data = join(project.folder, '.local', 'share', 'opencode');
      const put = (path: string, value: object): void => {
        mkdirSync(dirname(join(data, 'storage', path)), { recursive: true });
        writeFileSync(join(data, 'storage', path), JSON.stringify(value));
      };
      const time = { created: 1_769_040_000_000, completed: 1_769_040_001_000 };
      put(`session/p1/${ID}.json`, { id: ID, directory: project.folder, title: 'Find the word', time });
      const said = (message: string, role: string, text: string): void => {
        put(`message/${ID}/${message}.json`, { id: message, sessionID: ID, role, time, finish: 'stop' });
        put(`part/${message}/prt_${message}.json`, { id: `prt_${message}`, type: 'text', text, messageID: message });
      };
      said('msg_1', 'user', 'Find the word');
      said('msg_2', 'assistant', 'It is plover.');
      stopSession(project.open());
      return { project, id, data };
    }
    const again = (project: Project, id: string): ResumeResult => resumeSession(project.open(), id, 'active');

    test('it is resumed there, and its latest turns are ingested from there', async () => {
      const { project, id, data } = await kept();
      expect(ingestLatestTurns(project.open(), id, around(project.folder))).toBeNull();
      const result = again(project, id);
      expect(result.context).toContain('It is plover.');
      expect(result.resume_cursor).toEqual({ agent: 'opencode', agent_session_id: ID, last_message_id: 'msg_2' });
      expect(launchOf(project.open(), result, null, around(project.folder))).toMatchObject({
        ...{ conversation: 'own', args: ['--session', ID] },
      });
      rmSync(data, { recursive: true });
      expect(ingestLatestTurns(project.open(), id, around(project.folder))).toBeNull();
      expect(launchOf(project.open(), result, null, around(project.folder))).not.toMatchObject({ conversation: 'own' });
    });

    test('the program is asked if they cannot be read here', async () => {
      const { project, id, data } = await kept();
      rmSync(join(data, 'storage'), { recursive: true });
      writeFileSync(join(data, 'opencode.db'), `SQLite format 3\0${'x'.repeat(4096)}`);
      const bin = temporaryFolder();
      const program = (code: number): void =>
        writeFileSync(join(bin, 'opencode'), `#!/bin/sh\n[ "$*" = "export ${ID}" ] && exit ${code}\n`, { mode: 0o755 });
      const where = { ...around(project.folder), environment: { HOME: project.folder, PATH: bin } };
      expect(ingestLatestTurns(project.open(), id, where)).toMatch(
        /^The latest turns of its conversation could not be/,
      );
      const result = again(project, id);
      program(0);
      expect(launchOf(project.open(), result, null, where)).toMatchObject({ conversation: 'own' });
      program(1);
      expect(launchOf(project.open(), result, null, where)).not.toMatchObject({ conversation: 'own' });
    });
  });
});
