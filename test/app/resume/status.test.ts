// The status of a session beside its state: derived when read, recorded by the next change that works elsewhere.
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../../src/app/fsck.ts';
import { resumableSessions } from '../../../src/app/resume/resumable.ts';
import { resumeSession } from '../../../src/app/resume/resume.ts';
import { stopSession } from '../../../src/app/resume/stop.ts';
import { switchSession } from '../../../src/app/session/list.ts';
import type { SessionStatus } from '../../../src/core/listing/status.ts';
import { STATUS_CHANGES } from '../../../src/core/listing/status.ts';
import type { StoredRecord } from '../../../src/core/records/record.ts';
import * as ctx from '../../../src/index.ts';
import { fc } from '../../support/property.ts';
import { errorOf, fsck, makeProject, type Project } from '../../support/store.ts';

const statusOf = (project: Project, id: string): SessionStatus | undefined =>
  resumableSessions(project.open()).rows.find(({ session_id }) => session_id === id)?.status;
const recordsOf = (project: Project, id: string): StoredRecord[] =>
  [...ctx.showRevision(project.open(), id).steps].flatMap(({ observations }) => observations);
const statuses = (project: Project, id: string): string[] =>
  recordsOf(project, id).flatMap(({ kind, from, to, by }) => (kind === 'status' ? [`${from} → ${to} by ${by}`] : []));

function running(settings: Record<string, unknown> = {}): Project & { id: string } {
  const project = makeProject(settings);
  const { session_id: id } = ctx.startSession(project.repository, 'Add retry with backoff');
  return { ...project, id };
}

describe('SESS-005: a session that is idle', () => {
  test('counts as paused after five minutes, and reading records nothing', () => {
    const project = running();
    project.clock.now += 299;
    expect(ctx.activeSession(project.repository)).toMatchObject({ status: 'active' });
    project.clock.now += 1;
    expect(ctx.activeSession(project.repository)).toMatchObject({
      status: 'paused',
      staging_head: project.git('rev-parse', 'STAGE').trim(),
    });
    expect(statusOf(project, project.id)).toBe('paused');
    expect(ctx.showRevision(project.open(), project.id).status).toBe('paused');
    expect(statuses(project, project.id)).toEqual([]);
  });

  test.each<[unknown, number, SessionStatus]>([
    ['1h', 3599, 'active'],
    ['1h', 3600, 'paused'],
    [10, 10, 'paused'],
    ['off', 1_000_000, 'active'],
  ])('follows the setting auto_pause %j after %i seconds: %s', (auto_pause, idle, status) => {
    const project = running({ auto_pause });
    project.clock.now += idle;
    expect(statusOf(project, project.id)).toBe(status);
  });

  test('is recorded as paused by the next change that works elsewhere, with what waits for it, and said once', () => {
    const project = running();
    ctx.observeNote(project.repository, 'a note that waits');
    project.clock.now += 600;
    const repository = project.open();
    ctx.startSession(repository, 'Something else', { beside: true });
    expect(repository.notices).toEqual([
      'Saved as paused: "Add retry with backoff", since nothing was done in it for 10 minutes.',
    ]);
    expect(statuses(project, project.id)).toEqual(['active → paused by idle']);
    expect(recordsOf(project, project.id).map(({ kind }) => kind)).toEqual(['task', 'note', 'status']);
    const again = project.open();
    switchSession(again, project.id);
    switchSession(again, '-');
    expect(again.notices).toEqual([]);
    expect(statuses(project, project.id)).toEqual(['active → paused by idle']);
    expect(fsck(project.store)).toBe('');
  });

  test('is dated by its last work, not by its pause: the stale rules do not care', () => {
    const project = running();
    const last = project.clock.now;
    project.clock.now += 600;
    ctx.startSession(project.open(), 'Something else', { beside: true });
    const row = resumableSessions(project.open()).rows.find(({ session_id }) => session_id === project.id);
    expect(row).toMatchObject({ status: 'paused', last_activity: last });
  });

  test('is active again with the next record, and may be paused again', () => {
    const project = running();
    project.clock.now += 600;
    ctx.startSession(project.open(), 'Something else', { beside: true });
    ctx.observeNote(project.open({ session: project.id }), 'back at work');
    expect(statusOf(project, project.id)).toBe('active');
    switchSession(project.open(), project.id);
    project.clock.now += 600;
    ctx.startSession(project.open(), 'A third thing', { beside: true });
    expect(statuses(project, project.id)).toEqual(['active → paused by idle', 'active → paused by idle']);
  });

  test('is recorded by a flush of what had waited for so long', () => {
    const project = running();
    ctx.observeNote(project.repository, 'a note');
    project.clock.now += 301;
    const repository = project.open();
    ctx.flushStep(repository);
    expect(statuses(project, project.id)).toEqual(['active → paused by idle']);
    expect(repository.notices).toHaveLength(1);
    ctx.flushStep(project.open());
    expect(statuses(project, project.id)).toHaveLength(1);
  });
});

describe('an ended session', () => {
  test('is completed if its work was done, whatever its commit type', () => {
    const project = running();
    ctx.setState(project.repository, 'done', { text: 'It retries.' });
    ctx.compactSession(project.repository, { type: { kind: 'InterruptedByNewTask', new_task_summary: 'x' } as never });
    expect(statusOf(project, project.id)).toBe('completed');
  });

  test('is only paused if it was saved while it ran, or waited for its user', () => {
    const project = running();
    ctx.setState(project.repository, 'ask', { text: 'How often?' });
    ctx.compactSession(project.repository);
    expect(statusOf(project, project.id)).toBe('paused');
    expect(ctx.showRevision(project.open(), project.id).status).toBe('paused');
  });
});

/** Actions of a person on the sessions of a store. */
const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('wait' as const), seconds: fc.constantFrom(1, 200, 400, 90_000) }),
    fc.record({ act: fc.constantFrom('note', 'flush', 'stop', 'beside', 'resume', 'ask', 'done', 'save') }),
  ),
  { minLength: 3, maxLength: 9 },
);

test('SESS-005: whatever happens, a status is one of three and changes in one of four ways', () => {
  fc.assert(
    fc.property(acts, (story) => {
      const project = running();
      const before = new Map<string, SessionStatus>();
      const look = (): void => {
        for (const { session_id: id, status } of resumableSessions(project.open()).rows) {
          const was = before.get(id);
          expect(['active', 'paused', 'completed']).toContain(status);
          if (was !== undefined && was !== status) expect(STATUS_CHANGES).toContainEqual([was, status]);
          before.set(id, status);
        }
      };
      look();
      for (const step of story) {
        const repository = project.open();
        const does: Record<string, () => void> = {
          note: () => ctx.observeNote(repository, 'a note'),
          flush: () => void ctx.flushStep(repository),
          stop: () => void stopSession(repository),
          beside: () => void ctx.startSession(repository, 'Another task', { beside: true }),
          resume: () => {
            const [row] = resumableSessions(repository).rows.slice(-1);
            if (row && row.status !== 'completed') resumeSession(repository, row.session_id, row.status);
          },
          ask: () => void ctx.setState(repository, 'ask', { text: 'How?' }),
          done: () => void ctx.setState(repository, 'done', { text: 'Done.' }),
          save: () => void ctx.compactSession(repository),
        };
        if (step.act === 'wait') project.clock.now += step.seconds;
        else {
          try {
            does[step.act]?.();
          } catch (error) {
            expect(error).toBeInstanceOf(ctx.CtxError);
          }
        }
        look();
      }
      const changes = resumableSessions(project.open()).rows.flatMap(({ session_id }) => statuses(project, session_id));
      expect(
        changes.filter(
          (change) =>
            !/^(?:active → paused by (?:idle|stop)|paused → active by (?:resume|stop|switch|message))$/.test(change),
        ),
      ).toEqual([]);
      expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
    }),
    { numRuns: 12 },
  );
});

test('a session that its user has stopped stays paused, whatever still comes in', () => {
  const project = running();
  stopSession(project.repository);
  ctx.observeNote(project.open({ session: project.id }), 'the end of the turn');
  ctx.flushStep(project.open({ session: project.id }));
  expect(statusOf(project, project.id)).toBe('paused');
  expect(project.repository.refs.stage()).toBeNull();
  expect(errorOf(() => stopSession(project.open({ session: project.id }))).code).toBe('no_such_move');
});
