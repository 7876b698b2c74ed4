// INV-6: what runs is ephemeral, and what was said is not. An agent and ctx are killed in the middle of a turn; afterwards the history is
// whole, open calls are closed, and the next conversation goes on behind the last completed turn.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConversation } from '../../../src/app/conversation/read.ts';
import { checkStore } from '../../../src/app/fsck.ts';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { resumeSession } from '../../../src/app/resume/resume.ts';
import * as ctx from '../../../src/index.ts';
import { makeProject, temporaryFolder } from '../../support/store.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000001';

test('INV-6: after a kill in the middle of a turn the session is idle, its history whole, and its cursor there', async () => {
  const project = makeProject();
  const transcript = join(temporaryFolder(), `${ID}.jsonl`);
  mkdirSync(join(transcript, '..'), { recursive: true });
  const lines: string[] = [];
  const said = (uuid: string, role: 'user' | 'assistant', content: unknown): void => {
    const at = new Date(project.clock.now * 1000).toISOString();
    const message = role === 'user' ? { role, content } : { id: `m-${uuid}`, role, content };
    lines.push(
      JSON.stringify({
        ...{ type: role, uuid, parentUuid: lines.length === 0 ? null : `l${lines.length}`, sessionId: ID },
        ...{ timestamp: at, cwd: project.folder, message },
      }),
    );
    writeFileSync(transcript, `${lines.join('\n')}\n`);
  };
  const hook = (event: string, more: object = {}) =>
    handleHook(
      'claude-code',
      JSON.stringify({
        ...{ session_id: ID, hook_event_name: event, cwd: project.folder, transcript_path: transcript },
        ...more,
      }),
      { directory: project.folder, clock: project.clock },
    );

  await hook('SessionStart', { source: 'startup' });
  said('l1', 'user', 'Add retry with backoff');
  await hook('UserPromptSubmit', { prompt: 'Add retry with backoff' });
  said('l2', 'assistant', [{ type: 'text', text: 'The delay grows now.' }]);
  await hook('Stop', { last_assistant_message: 'The delay grows now.' });
  project.clock.now += 10;
  said('l3', 'user', 'Add full jitter, too');
  await hook('UserPromptSubmit', { prompt: 'Add full jitter, too' });
  said('l4', 'assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'sleep 99' } }]);
  // The agent and ctx are killed here: no event follows. What the transcript has is taken in by whoever comes next.
  project.clock.now += 3600;
  ctx.ingestTranscript(project.open(), transcript, { agent: 'claude-code' });

  const [row] = resumableSessions(project.open()).rows;
  expect(row).toMatchObject({ title: 'Add retry with backoff', status: 'paused', open: true });
  const resumed = resumeSession(project.open(), row?.session_id ?? '', 'paused');
  expect(resumed).toMatchObject({
    resume_cursor: { agent: 'claude-code', agent_session_id: ID, last_message_id: 'm-l2' },
  });
  expect(resumed.context).toContain('Add full jitter, too');
  const calls = [...readConversation(project.open(), resumed.session_id)]
    .flatMap(({ parts }) => parts)
    .filter(({ type }) => type === 'dynamic-tool');
  expect(calls).toMatchObject([{ toolCallId: 'toolu_1', state: 'output-error' }]);
  const kept = JSON.stringify([...readConversation(project.open(), resumed.session_id)]);
  for (const words of ['Add retry with backoff', 'The delay grows now.', 'Add full jitter, too'])
    expect(kept).toContain(words);
  // The next turn belongs to the same session.
  await hook('UserPromptSubmit', { prompt: 'Go on' });
  expect(ctx.activeSession(project.open())).toMatchObject({
    session_id: resumed.session_id,
    session_state: { kind: 'Running' },
  });
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
});
