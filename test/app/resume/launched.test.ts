// An agent that was started for a resumed session: its conversation is a part of that session, and the handover is nobody's words.

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/index.ts';
import { STARTS } from '../../../src/agents/starts.ts';
import { readConversation } from '../../../src/app/conversation/read.ts';
import { checkStore } from '../../../src/app/fsck.ts';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { planLaunch, starterOf } from '../../../src/app/resume/launch.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { type ResumeResult, resumeSession } from '../../../src/app/resume/resume.ts';
import { stopSession } from '../../../src/app/resume/stop.ts';
import { REQUEST } from '../../../src/core/resume/own-words.ts';
import { readChain } from '../../../src/history/chain/chain.ts';
import { sessionRef } from '../../../src/history/names/layout.ts';
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
  const launch = planLaunch(project.open(), result, null, { directory: project.folder, environment: {} });
  return { project, id, resumed: result, environment: { ...launch.env } };
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
      additionalContext: `ctx, the memory of this project, has a paused session (last active 2 hours ago; ctx resume ${session_id.slice(-6)}), with this title: Add retry with backoff`,
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
    expect(planLaunch(project.open(), result, null, around(project.folder))).toMatchObject({
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
    const written = planLaunch(project.open(), result, null, around(project.folder));
    expect(written).toMatchObject({ program: 'claude', conversation: 'written', env: {} });
    const [word, id] = written.args;
    expect([word, id === CLAUDE]).toEqual(['--resume', false]);
    expect(sourcesOf(project, result.session_id)).toEqual([CLAUDE, id]);
    const again = planLaunch(project.open(), result, null, around(project.folder));
    expect(again).toMatchObject({ args: ['--resume', id], conversation: 'own' });
  });

  test('in a new conversation with the context if nothing can be put where the agent looks', () => {
    const { project, file, result } = ingested();
    rmSync(file);
    const launch = planLaunch(project.open(), result, null, { directory: project.folder, environment: {} });
    expect(launch).toMatchObject({ program: 'claude', conversation: 'new' });
    expect(launch.args.slice(0, 1)).toEqual(['--append-system-prompt']);
    expect(launch.args[1]).toContain('The word is plover.');
  });

  test('a compressed transcript still counts as there', () => {
    const { project, file, result } = ingested();
    renameSync(file, `${file}.zst`);
    expect(planLaunch(project.open(), result, null, around(project.folder)).conversation).toBe('own');
  });

  test('as another agent in a transcript that ctx writes for it, as one that takes none with the context', () => {
    const { project, result } = ingested();
    const launch = planLaunch(project.open(), result, 'codex', around(project.folder));
    expect(launch).toMatchObject({ agent: 'codex', program: 'codex', conversation: 'written' });
    expect(launch.args[0]).toBe('resume');
    const other = planLaunch(project.open(), result, 'copilot', around(project.folder));
    expect(other).toMatchObject({ agent: 'copilot', conversation: 'new' });
  });

  test('with less context where a program could not take all of it as one argument', () => {
    const { project, result } = ingested();
    const long = { ...result, context: 'x'.repeat(200_000) };
    const { args } = planLaunch(project.open(), long, 'pi', { directory: project.folder, environment: {} });
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

  test('a conversation of opencode is looked for in its database, which is gone here', () => {
    const { project, id } = resumed('opencode');
    mkdirSync(join(project.folder, '.local', 'share', 'opencode'), { recursive: true });
    const again = resumeSession(project.open(), id, 'active');
    expect(planLaunch(project.open(), again, 'opencode', around(project.folder))).toMatchObject({
      conversation: 'new',
    });
  });
});
