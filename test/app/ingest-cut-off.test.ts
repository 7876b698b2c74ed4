// An ingest of a folder that is cut off: what is wrong with a transcript was told by then, for the next run does not read it again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import type { FileProblem } from '../../src/app/transcript/file-problem.ts';
import { run } from '../support/cli.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';

/** A small conversation of Claude Code with a line that is none; gives its file. */
function broken(folder: string, id: string, day: number, cwd: string): string {
  const said = { type: 'user', uuid: `${id}-1`, parentUuid: null, sessionId: id, cwd };
  const timestamp = `2026-01-0${day}T10:00:00.000Z`;
  const file = join(folder, `${id}.jsonl`);
  const line = JSON.stringify({ ...said, timestamp, message: { role: 'user', content: `Do ${id}` } });
  writeFileSync(file, `${line}\n{broken\n`);
  return file;
}

test('reports each problem before the next transcript is read, and the next run reports the rest', () => {
  const project = makeProject();
  const folder = temporaryFolder();
  const files = ['a', 'b'].map((id, index) => broken(folder, id, index + 1, project.folder));
  const told: FileProblem[] = [];
  const problem = (one: FileProblem): void => void told.push(one);
  const progress = (): void => {
    if (listSessions(project.open()).length === 1) throw new Error('cut off');
  };
  expect(() => ingestMany(project.open(), [folder], { problem, progress })).toThrow('cut off');
  expect(listSessions(project.open())).toHaveLength(1);
  expect(told).toMatchObject([{ file: files[0], line: 2 }]);
  const { problems } = ingestMany(project.open(), [folder], { problem });
  expect(told).toMatchObject(files.map((file) => ({ file, line: 2 })));
  expect(problems).toEqual(told.slice(1));
});

test('reports each problem once on the command line, also a file that cannot be read', () => {
  const project = makeProject();
  const folder = temporaryFolder();
  const files = ['a', 'b'].map((id, index) => broken(folder, id, index + 1, project.folder));
  const none = join(folder, 'none.jsonl');
  const { stderr, code } = run(['ingest', folder, none], { cwd: project.folder });
  const named = stderr.split('\n').flatMap((line) => /^warning: (\S+?):? /.exec(line)?.[1] ?? []);
  expect([code, named]).toEqual([1, [none, ...files.map((file) => `${file}:2`)]]);
  expect(run(['--json', 'ingest', folder, none], { cwd: project.folder })).toMatchObject({ stderr: '', code: 1 });
});
