// Forgetting sessions whose steps were expired: what is left of them in canonical commits and in objects that nobody names.
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import {
  begin,
  DAY,
  expectSound,
  forgets,
  LENGTHS,
  NEW,
  OLD,
  offer,
  recordOf,
  type Words,
} from '../support/neighbours.ts';
import { makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

describe('once steps were expired', () => {
  /** Two sessions whose steps are gone: Git has thrown them away, or is about to. */
  async function expired(text: Words, pruned: boolean): Promise<{ project: Project; old: string; begun: string }> {
    const project = makeProject();
    const old = begin(project, text);
    const begun = offer(project, text);
    observeNote(project.open(), text(`${NEW} of a note`));
    compactSession(project.open(), {
      type: { kind: 'InterruptedByNewTask', new_task_summary: text(`${NEW} of the last`) },
    });
    project.clock.now += 400 * DAY;
    await collectGarbage(project.open(), { expireSteps: 30 * DAY, machineTime: project.open().clock });
    if (pruned) {
      project.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
      project.git('prune', '--expire=now');
    }
    return { project, old, begun };
  }

  it.each([
    ['lie about', false],
    ['are gone', true],
  ])('sessions are forgotten as others are if the steps %s', async (_name, pruned) => {
    for (const [, text] of LENGTHS)
      for (const word of [OLD, NEW]) {
        const { project, old, begun } = await expired(text, pruned);
        forgets(project, word === OLD ? old : begun);
        expect(tracesOf(project.store, word)).toEqual([]);
        expectSound(project);
      }
  });

  it('a short task goes from what is left of its session', async () => {
    const { project, old } = await expired((word) => word.replace(/ of .*/, ''), true);
    forgets(project, recordOf(project, old, 'task'));
    const [marker, summary] = ['[forgotten]', project.git('show', 'main~1:summary.md')];
    expect(summary).toContain(
      `# Saved before starting new task: ${marker}\n\n**Task:** ${marker}\n\n**How it ended:**`,
    );
    expectSound(project);
  });
});
