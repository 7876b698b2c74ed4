// Links to folders among transcripts are followed, each folder once, and none leads round, out of it all, or makes anything fail.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import { conversation, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

describe('in a folder that is ingested', () => {
  let root: string;
  const put = (name: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), conversation('retry-backoff.jsonl', '/project'));
  };
  const link = (target: string, name: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    symlinkSync(join(root, target), join(root, name));
  };
  const found = (folder = 'in'): string[] => {
    const { transcripts, problems } = findTranscripts([join(root, folder)], undefined);
    expect(problems).toEqual([]);
    return transcripts.map(({ file }) => file.slice(root.length + 1)).sort();
  };

  beforeEach(() => {
    root = temporaryFolder();
  });

  test('what a link leads to is found, over another link too', () => {
    put('out/deep/a.jsonl');
    put('further/b.jsonl');
    link('out', 'in/link');
    link('further', 'out/deep/more');
    expect(found()).toEqual(['in/link/deep/a.jsonl', 'in/link/deep/more/b.jsonl']);
  });

  test('once, and by its own path where that lies below what was named', () => {
    put('in/z/a.jsonl');
    put('out/b.jsonl');
    link('in/z', 'in/a/link');
    link('out', 'in/one');
    link('out', 'in/two');
    link('in/z/a.jsonl', 'in/a-link.jsonl');
    expect(found()).toEqual(['in/one/b.jsonl', 'in/z/a.jsonl']);
  });

  test('no link leads in a circle, or to the folders around it', () => {
    put('in/a.jsonl');
    put('in/x/b.jsonl');
    put('beside.jsonl');
    link('in', 'in/x/round');
    link('in/x', 'in/x/self');
    link('.', 'in/above');
    symlinkSync('/', join(root, 'in/top'));
    link('in/x/to', 'in/x/fro');
    link('in/x/fro', 'in/x/to');
    link('gone', 'in/0-nowhere');
    expect(found()).toEqual(['in/a.jsonl', 'in/x/b.jsonl']);
  });

  test('one to the folder around a file that was named is followed all the same', () => {
    put('out/a.jsonl');
    put('out/b.jsonl');
    link('out', 'in/link');
    const { transcripts } = findTranscripts([join(root, 'out/a.jsonl'), join(root, 'in')], undefined);
    expect(transcripts.map(({ file }) => file.slice(root.length + 1))).toEqual(['out/a.jsonl', 'in/link/b.jsonl']);
  });

  test('no link leads back to the folders around it over a second link', () => {
    put('base/in/a.jsonl');
    put('base/beside/b.jsonl');
    put('other/c/c.jsonl');
    link('other/c', 'base/in/out');
    link('base', 'other/c/back');
    expect(found('base/in')).toEqual(['base/in/a.jsonl', 'base/in/out/c.jsonl']);
  });

  test('none leads into what is left out', () => {
    put('in/a.jsonl');
    put('node_modules/b.jsonl');
    put('node_modules/package/d.jsonl');
    put('c/c.jsonl');
    link('node_modules', 'in/packages');
    link('node_modules/package', 'in/package');
    link('c', 'in/.git');
    expect(found()).toEqual(['in/a.jsonl']);
  });
});

describe('in the folder of an agent', () => {
  let project: Project;
  let home: string;
  const around = () => ({ environment: { HOME: home } });
  const files = (): string[] => {
    const { conversations, problems } = captureStatus(project.open(), around());
    expect(problems.filter(({ reason }) => reason !== 'missing')).toEqual([]);
    return conversations.map(({ file, captured }) => `${captured} ${file.slice(home.length + 1)}`);
  };
  const projects = (name: string): string => join(home, '.claude', 'projects', name);
  const own = (): string => folderNameOf(project.folder);

  beforeEach(() => {
    project = makeProject();
    home = temporaryFolder();
    const text = conversation('rewind.jsonl', project.folder);
    putTranscript(home, project.folder, 'a.jsonl', text);
  });

  test('that of a project may be a link', () => {
    renameSync(projects(own()), join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), projects(own()));
    expect(files()).toEqual([`never .claude/projects/${own()}/a.jsonl`]);
    expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({ turns_added: 3, problems: [] });
    expect(files()).toEqual([`captured .claude/projects/${own()}/a.jsonl`]);
  });

  test('one that is linked to is walked once, by its own path; what leads nowhere is named, and stops nothing', () => {
    for (const name of ['-a', '-z']) symlinkSync(projects(own()), projects(own() + name));
    symlinkSync(projects('.'), projects(`${own()}-round`));
    symlinkSync(projects(`${own()}-circle`), projects(`${own()}-circle`));
    symlinkSync(join(home, 'gone'), projects(`${own()}-gone`));
    symlinkSync(join(home, 'gone.jsonl'), join(projects(own()), 'gone.jsonl'));
    symlinkSync('circle.jsonl', join(projects(own()), 'circle.jsonl'));
    expect(files()).toEqual([`never .claude/projects/${own()}/a.jsonl`]);
    expect(captureStatus(project.open(), around()).problems.map(({ file }) => file)).toEqual(
      [`${own()}/circle.jsonl`, `${own()}/gone.jsonl`, `${own()}-circle`, `${own()}-gone`].map(projects),
    );
  });
});
