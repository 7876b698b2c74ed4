// Tests messages that name the end of the task while a question of ctx's waits: each ends the task, and one that only waves the question away does not.
import { describe, expect, test } from 'vitest';
import { handleUserMessage } from '../../src/app/intake/message/message.ts';
import * as ctx from '../../src/index.ts';
import { ClaudeConversation } from '../agents/support/claude-conversation.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

const KINDS = ['unclear', 'new_task', 'stale_session'] as const;
/** Raises a question of each kind. */
const RAISED = {
  unclear: 'hmm',
  new_task: 'Different topic: write a roof for the garden shed',
  stale_session: 'Make it 5',
};

/** A project whose session is finished, with a question of ctx's that waits. */
function asked(kind: (typeof KINDS)[number]): Project {
  const project = makeProject({ questions: 'always' });
  ctx.startSession(project.repository, 'Add retry');
  ctx.observeNote(project.repository, 'x');
  ctx.setState(project.repository, 'done', { text: 'Retry is in' });
  if (kind === 'stale_session') project.clock.now += 30 * 3600;
  expect(handleUserMessage(project.repository, RAISED[kind]).choice?.kind).toBe(kind);
  return project;
}

const words = (project: Project): string => project.git('log', '--all', '-p');

describe.each(KINDS)('while the question “%s” waits', (kind) => {
  test.each([
    'Abandon this, we do not need it',
    'Forget the whole task',
    'cancel the task',
    'never mind, cancel it all',
    'Please abandon the task.',
    'stop everything',
    'give up on this task',
  ])('“%s” ends the task, and the message that raised it is kept', (said) => {
    const project = asked(kind);
    expect(handleUserMessage(project.repository, said)).toMatchObject({
      classification: 'Abandon',
      action: 'abandoned',
      state_after: null,
      compacted: { commit_type: { kind: 'Abandoned' }, session_state: { kind: 'Aborted', reason: said } },
    });
    expect(words(project)).toContain(`"content":"${RAISED[kind]}"`);
    expect(fsck(project.store)).toBe('');
  });

  test.each(['never mind', 'Cancel', 'stop', 'forget it', 'Never mind that', 'never mind that task', 'cancel that'])(
    '“%s” continues the task',
    (said) => {
      const project = asked(kind);
      expect(handleUserMessage(project.repository, said)).toMatchObject({ compacted: null });
      expect(ctx.sessionStatus(project.repository)).toMatchObject({ task_description: 'Add retry', choice: null });
    },
  );

  test('the same words in a hook', async () => {
    const project = makeProject({ questions: 'always' });
    const talk = new ClaudeConversation(project);
    await talk.prompt('Add retry');
    await talk.stop('Retry is in.');
    if (kind === 'stale_session') project.clock.now += 30 * 3600;
    await talk.prompt(RAISED[kind]);
    await talk.stop('Before that: A or B?');
    await talk.prompt('Abandon the task, we do not need it');
    await talk.stop('All right.');
    expect([...ctx.readLog(project.open())].map(({ commit_type }) => commit_type?.kind)).toEqual(['Abandoned']);
    expect(ctx.sessionStatus(project.open())).toMatchObject({ active: false });
    expect(words(project)).toContain(RAISED[kind]);
  });
});
