// `ctx ingest` of much reads in threads where the machine has several cores: what comes of it is what comes of one by one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestMany } from '../../src/app/intake/many.ts';
import type { IngestManyResult } from '../../src/index.ts';
import { fsck, NOON, repository } from '../support/cli.ts';
import { makeProject } from '../support/store.ts';

/** A conversation of Claude Code of some megabytes, of a sub-agent where that is named. */
function conversation(id: string, ago: number, megabytes: number, subAgent?: string): string {
  const own = subAgent === undefined ? {} : { isSidechain: true, agentId: subAgent };
  const timestamp = new Date((NOON - ago) * 1000).toISOString();
  const lines: string[] = [];
  for (let turn = 0, parentUuid: string | null = null; turn < megabytes * 40; turn += 1) {
    for (const role of ['user', 'assistant']) {
      const uuid = `${subAgent ?? id}-${turn}-${role}`;
      const text = turn === 0 ? `Do ${id}` : `${role} ${id} ${turn}: ${`one ${turn} and more, `.repeat(600)}`;
      const content = role === 'user' ? text : [{ type: 'text', text }];
      const message = { id: `m-${uuid}`, role, content };
      lines.push(
        JSON.stringify({ type: role, uuid, parentUuid, ...own, sessionId: id, timestamp, cwd: '/x', message }),
      );
      parentUuid = uuid;
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** A result without what is another one each time. */
function told(result: IngestManyResult, root: string): unknown {
  const ids = result.sessions.map(({ session_id }) => session_id);
  const sessions = result.sessions.map(
    ({ session_id: _, short_id: __, oid: ___, parent_short_id: ____, file, parent_session_id, ...rest }) => ({
      ...rest,
      file: file.replace(root, ''),
      parent: parent_session_id && ids.indexOf(parent_session_id),
    }),
  );
  const problems = result.problems.map(({ file, ...rest }) => ({ ...rest, file: file.replace(root, '') }));
  return { ...result, sessions, problems };
}

test('parents and children, a copy of another time and a line that is none, the same as one by one', {
  timeout: 60_000,
}, () => {
  const repo = repository({ now: NOON });
  const long = conversation('long', 4000, 4);
  const files: Record<string, string> = {
    'old/long.jsonl': long,
    // Newer than its parent by its name alone: it is told of in the same second.
    'old/a/subagents/agent-x.jsonl': conversation('long', 4000, 1, 'x'),
    'old/copies/long.jsonl': `${long}{"type":\n`,
    'old/second.jsonl': conversation('second', 3000, 3),
    'old/third.jsonl': `${conversation('third', 2000, 2)}no line\n`,
    'old/empty.jsonl': '{"type":"summary","summary":"x","leafUuid":"y"}\n',
  };
  for (const [name, text] of Object.entries(files)) repo.write(name, text);
  const inThreads = repo.run(['--json', 'ingest', '--here', 'old']);
  const { result } = JSON.parse(inThreads.stdout) as { result: IngestManyResult };
  const other = makeProject();
  const oneByOne = ingestMany(other.open({ clock: () => NOON }), [join(repo.dir, 'old')], { here: true });
  expect(result.sessions.map(({ file }) => file.replace(repo.dir, ''))).toHaveLength(5);
  expect(told(result, repo.dir)).toEqual(told(oneByOne, repo.dir));
  expect(result.sessions.filter(({ parent_session_id }) => parent_session_id !== null)).toHaveLength(1);
  expect(readdirSync(join(repo.dir, '.ctx', 'objects', 'pack')).filter((name) => name.endsWith('.keep'))).toEqual([]);
  fsck(repo.dir);
});
