/** Prepares the tests of packing: a store in which somebody has worked, and a stand-in for Git. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project, temporaryFolder } from './store.ts';

/** A store with one open session of three steps. */
export function worked(): Project & { id: string } {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  for (const note of ['one', 'two', 'three']) {
    ctx.observeNote(project.repository, note);
    ctx.flushStep(project.repository);
  }
  return { ...project, id: session_id };
}

/** Puts a program named git in front of every other. */
export function fakeGit(script: string): void {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
}
