// The folder in which a resumed session's agent is started: the agent finds the conversation from there, and its hooks find the store.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beginningOf, type Launch, planLaunch } from '../../../src/app/resume/launch.ts';
import { resumeSession } from '../../../src/app/resume/resume.ts';
import * as ctx from '../../../src/index.ts';
import { makeProject, type Project, temporaryFolder } from '../../support/store.ts';

const ID = 'aaaaaaaa-0000-4000-8000-000000000001';

/** A project with a session of Claude Code that worked in a folder. */
function worked(
  folderOf: (project: Project) => string = ({ folder }) => folder,
): Project & { id: string; home: string } {
  const project = makeProject();
  const home = temporaryFolder();
  const file = join(home, '.claude', 'projects', 'first', `${ID}.jsonl`);
  const line = {
    ...{ type: 'user', uuid: 'u1', parentUuid: null, sessionId: ID, cwd: folderOf(project), version: '2.1.332' },
    ...{ timestamp: '2026-01-22T00:00:00.000Z', message: { role: 'user', content: 'The word is plover.' } },
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  return { ...project, home, id: ctx.ingestTranscript(project.repository, file).session_id };
}

/** Resumes a session and plans the start of an agent, as the command does. */
function launch(
  { clock, id, home }: Pick<Project, 'clock'> & { id: string; home: string },
  directory: string,
  {
    named = null,
    variables = {},
    store,
  }: { named?: string | null; variables?: Record<string, string>; store?: string } = {},
): Launch {
  const repository = ctx.openRepository({ directory, clock, ...(store !== undefined && { store }) });
  const around = { directory, environment: { HOME: home, ...variables } };
  const resumed = resumeSession(repository, id, 'active');
  return planLaunch(repository, resumed, beginningOf(repository, resumed, named, around), around);
}

describe('in a project that has moved', () => {
  test.each(['claude-code', 'gemini', 'pi'])('%s gets the conversation once, and continues in that', (named) => {
    const project = worked();
    const moved = `${project.folder}-moved`;
    renameSync(project.folder, moved);
    const first = launch(project, moved, { named });
    expect(first).toMatchObject({ conversation: 'written', directory: moved });
    expect(launch(project, moved, { named })).toMatchObject({ conversation: 'own', args: first.args });
    renameSync(moved, `${moved}-again`);
    const again = launch(project, `${moved}-again`, { named });
    expect(again.conversation).toBe('written');
    expect(again.args).not.toEqual(first.args);
  });
});

describe('in a linked worktree of a project', () => {
  /** A session that worked in a linked worktree. */
  const inWorktree = () => {
    let worktree = '';
    const project = worked(({ folder }) => {
      const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words]);
      git('init', '--quiet');
      git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'first');
      worktree = `${folder}-feature`;
      git('worktree', 'add', '--quiet', worktree);
      return worktree;
    });
    return { ...project, worktree };
  };

  test('the agent gets the store by name, which its hooks do not find from there', () => {
    const project = inWorktree();
    const { directory, env, conversation } = launch(project, project.folder);
    expect({ directory, env, conversation }).toEqual({
      ...{ directory: project.worktree, env: { CTX_DIR: project.store }, conversation: 'own' },
    });
    const variables = { CTX_DIR: project.store };
    expect(launch(project, project.worktree, { variables, store: project.store }).env).toEqual({});
    const relative = { CTX_DIR: join('..', '.ctx') };
    mkdirSync(join(project.folder, 'src'));
    expect(launch(project, join(project.folder, 'src'), { variables: relative }).env).toEqual(variables);
  });

  test('the conversation is written for that folder', () => {
    const project = inWorktree();
    expect(launch(project, project.folder, { named: 'pi' })).toMatchObject({
      ...{ directory: project.worktree, conversation: 'written' },
    });
    const folders = join(project.home, '.pi', 'agent', 'sessions');
    expect(readdirSync(folders)).toEqual([expect.stringMatching(/-feature--$/)]);
    expect(launch(project, project.folder, { named: 'pi' }).conversation).toBe('own');
    expect(existsSync(join(project.worktree, '.ctx'))).toBe(false);
  });
});

test('an agent that is started in the project finds the store by itself', () => {
  const project = worked();
  expect(launch(project, project.folder).env).toEqual({});
});
