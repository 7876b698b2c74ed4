// /ctx-stop and /ctx-resume in an agent: no words of them are the user's, a stopped session stays stopped, and a conversation that
// resumes a session becomes a part of it.
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../../src/app/fsck.ts';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { resumeSession } from '../../../src/app/resume/resume.ts';
import { stopSession } from '../../../src/app/resume/stop.ts';
import { commandFile, OWN_COMMANDS, ownCommandIn } from '../../../src/core/resume/own-commands.ts';
import { readChain } from '../../../src/history/chain/chain.ts';
import { sessionRef } from '../../../src/history/names/layout.ts';
import * as ctx from '../../../src/index.ts';
import { makeProject, type Project } from '../../support/store.ts';

const ONE = 'aaaaaaaa-0000-4000-8000-000000000001';
const TWO = 'bbbbbbbb-0000-4000-8000-000000000002';

/** Passes an event to ctx, as Claude Code does. */
function hook(project: Project, session_id: string, event: string, more: object = {}) {
  const payload = { session_id, hook_event_name: event, cwd: project.folder, transcript_path: null, ...more };
  return handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
}

const shell = (command: string) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_response: { stdout: '', stderr: '' },
  tool_use_id: 'toolu_1',
});

const sourcesOf = (project: Project, id: string): string[] => {
  const { refs, objects } = project.open();
  const { session } = readChain(objects, refs.read(sessionRef(id)) as string);
  return session.sources.map((source) => source.agent_session_id);
};

const rowsOf = (project: Project) =>
  resumableSessions(project.open()).rows.map(({ title, status, state }) => [title, status, state]);

/** A conversation in which a task was worked on and stopped by the command. */
async function stopped(): Promise<{ project: Project; id: string }> {
  const project = makeProject();
  await hook(project, ONE, 'SessionStart', { source: 'startup' });
  await hook(project, ONE, 'UserPromptSubmit', { prompt: 'Add retry with backoff' });
  await hook(project, ONE, 'Stop', { last_assistant_message: 'The delay grows now.' });
  const id = ctx.activeSession(project.open())?.session_id ?? '';
  await hook(project, ONE, 'UserPromptSubmit', { prompt: '/ctx-stop' });
  stopSession(project.open(), 'Backoff is in, jitter is missing.');
  await hook(project, ONE, 'PostToolUse', shell("ctx stop 'Backoff is in, jitter is missing.'"));
  await hook(project, ONE, 'Stop', { last_assistant_message: 'Session saved.' });
  return { project, id };
}

describe('/ctx-stop', () => {
  test('is no message of the user, and what still comes in leaves the session paused', async () => {
    const { project, id } = await stopped();
    expect(rowsOf(project)).toEqual([['Add retry with backoff', 'paused', 'PendingComplete']]);
    expect(ctx.activeSession(project.open())).toBeNull();
    const kept = JSON.stringify(project.git('log', '-p', sessionRef(id)));
    expect(kept).not.toContain('/ctx-stop');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });
});

describe('/ctx-resume in a new conversation', () => {
  test('begins no session: the conversation becomes a part of the session that is resumed', async () => {
    const { project, id } = await stopped();
    await hook(project, TWO, 'SessionStart', { source: 'startup' });
    await hook(project, TWO, 'UserPromptSubmit', { prompt: '/ctx-resume retry' });
    resumeSession(project.open(), id, 'paused');
    await hook(project, TWO, 'PostToolUse', shell("ctx resume --no-launch 'retry'"));
    expect(sourcesOf(project, id)).toEqual([ONE, TWO]);
    await hook(project, TWO, 'Stop', { last_assistant_message: 'I go on with the jitter.' });
    await hook(project, TWO, 'UserPromptSubmit', { prompt: 'Use full jitter' });
    expect(rowsOf(project)).toEqual([['Add retry with backoff', 'active', 'Running']]);
    expect(project.git('log', '-p', sessionRef(id))).toContain('Use full jitter');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test('asks which one, and the answer is no task', async () => {
    const { project, id } = await stopped();
    await hook(project, TWO, 'UserPromptSubmit', { prompt: '/ctx-resume' });
    await hook(project, TWO, 'PostToolUse', shell('ctx resume --list'));
    await hook(project, TWO, 'Stop', { last_assistant_message: '1. Add retry. Which one?' });
    await hook(project, TWO, 'UserPromptSubmit', { prompt: '1' });
    expect(rowsOf(project)).toHaveLength(1);
    resumeSession(project.open(), id, 'paused');
    await hook(project, TWO, 'PostToolUse', shell("ctx resume --no-launch '1'"));
    expect(sourcesOf(project, id)).toEqual([ONE, TWO]);
  });

  test('if nothing is resumed, the next task begins a session', async () => {
    const { project } = await stopped();
    await hook(project, TWO, 'UserPromptSubmit', { prompt: '/ctx-resume' });
    await hook(project, TWO, 'UserPromptSubmit', { prompt: 'none' });
    await hook(project, TWO, 'UserPromptSubmit', { prompt: 'Rename the client' });
    expect(rowsOf(project).map(([title]) => title)).toEqual(['Rename the client', 'Add retry with backoff']);
  });
});

test.each(OWN_COMMANDS)('%s is recognised as it is typed, as it is written down, and as its text', (name) => {
  const line = "'/usr/bin/node' '/opt/ctx.cjs'";
  const markdown = commandFile(name, line, { form: 'markdown', args: '$ARGUMENTS' });
  const [, body = ''] = markdown.split('---\n\n');
  const written = `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>`;
  for (const text of [`/${name}`, `/${name} the second one`, `/prompts:${name}`, body, written])
    expect(ownCommandIn(text), text).toBe(name);
  for (const text of [`What does /${name} do?`, `/${name}ping`, `/${name}-all`])
    expect(ownCommandIn(text), text).toBeNull();
  expect(markdown).toContain(`${line} ${name === 'ctx-stop' ? 'stop' : 'resume'} `);
});
