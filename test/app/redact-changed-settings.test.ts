// Tests that a text that is redacted before a change begins is searched once more when it is recorded: settings and forgotten texts may be others by then.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { handleChoice, handleUserMessage } from '../../src/app/intake/message/message.ts';
import { setState } from '../../src/app/session/move.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import { makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const CUSTOMER = 'KD-4711-XY9';

/** From now on numbers of customers are secrets. */
function tighten(project: Project): Repository {
  const redact = { patterns: [{ name: 'customer', pattern: 'KD-[0-9]{4}-[A-Z0-9]{3}' }] };
  writeFileSync(join(project.store, 'settings.json'), JSON.stringify({ fsync: false, redact }));
  return project.open();
}

/** The records of the last step of the current session, as JSON. */
const lastStep = ({ git }: Project): string => git('show', 'STAGE:step.jsonl');

/** A store that is told to do something else just before it waits for LOCK. */
function beforeLock(repository: Repository, act: () => void): Repository {
  let left = 1;
  return {
    ...repository,
    get lockWait() {
      if (left-- > 0) act();
      return repository.lockWait;
    },
  };
}

describe('a rule that is new', () => {
  test('counts for the message that raised a question, when that is answered', () => {
    const project = makeProject();
    startSession(project.repository, 'Add retry');
    handleUserMessage(project.repository, `Write the page of customer ${CUSTOMER} please`, { as: 'NewTask' });
    handleChoice(tighten(project), 'continue');
    // The record of the question was there before.
    const [, note] = lastStep(project).split('\n');
    expect(note).toMatch(/"content":"Write the page of customer \[redacted:customer:[0-9a-f]{8}\] please"/);
    expect(note).toContain('"redacted":{"customer":1}');
  });

  test('counts for the question that a move leaves', () => {
    const project = makeProject();
    startSession(project.repository, 'Add retry');
    setState(project.repository, 'ask', { text: `Is ${CUSTOMER} right?` });
    setState(tighten(project), 'respond', { text: 'yes' });
    expect(lastStep(project)).toContain('Is [redacted:customer:');
    expect(lastStep(project)).not.toContain(CUSTOMER);
  });
});

describe('what is forgotten while a change waits for LOCK does not come back', () => {
  const about = (project: Project) => ({ session_id: 'a', cwd: project.folder });
  const tell = (project: Project, event: object): Promise<unknown> =>
    handleHook('claude-code', JSON.stringify({ ...about(project), ...event }), { clock: project.clock });

  test('by a message', () => {
    const project = makeProject();
    startSession(project.repository, `Write the page of ${CUSTOMER}`);
    const late = beforeLock(project.repository, () => forget(project.open(), { text: CUSTOMER }));
    handleUserMessage(late, `No, the page of ${CUSTOMER} first`, { as: 'Modification' });
    expect(lastStep(project)).toContain('the page of [forgotten:');
    expect(tracesOf(project.store, CUSTOMER)).toEqual([]);
  });

  test('what a hook redacts of the end of a turn is counted once', async () => {
    const project = makeProject();
    await tell(project, { hook_event_name: 'UserPromptSubmit', prompt: 'Add retry' });
    await tell(project, {
      hook_event_name: 'Stop',
      last_assistant_message: 'It logs in with password=hunter2Zk9qLw8 now.',
    });
    expect(lastStep(project)).toContain('password=[redacted:');
    expect(sessionStatus(project.open())).toMatchObject({ redacted: { password: 1 } });
  });
});
