// A rewind in conversations that agents have written: past their own compactions, and while their transcripts grow.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { isUsers } from '../../src/core/conversation/rewind.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project, ROOT } from '../support/store.ts';

const ids = ({ repository }: Project, view: 'model' | 'all' = 'model'): string[] =>
  [...ctx.readConversation(repository, 'STAGE', { view })].map(({ id }) => id);

function expectSound({ repository, store }: Project): void {
  expect(fsck(store)).toBe('');
  expect(checkStore(repository, { full: true }).healthy).toBe(true);
}

/** A session with the beginning of a transcript of the fixtures. */
function ingested(fixture: string, lines?: number): Project & { file: string; rest: string } {
  const project = makeProject();
  const file = join(project.folder, fixture.replaceAll('/', '-'));
  const whole = readFileSync(join(ROOT, 'fixtures', fixture), 'utf8').split('\n');
  const end = lines ?? whole.length;
  writeFileSync(
    file,
    whole
      .slice(0, end)
      .join('\n')
      .concat(lines === undefined ? '' : '\n'),
  );
  ctx.ingestTranscript(project.repository, file);
  return { ...project, file, rest: whole.slice(end).join('\n') };
}

describe.each(['claude-code/compaction.jsonl', 'pi/compactions.jsonl', 'codex/compaction.jsonl'])(
  'in %s',
  (fixture) => {
    test('a rewind past the agent’s own compaction shows what it had summarised, and nothing after', () => {
      const project = ingested(fixture);
      const before = ids(project);
      const all = [...ctx.readConversation(project.repository, 'STAGE', { view: 'all' })];
      const at = all.findIndex(({ metadata }) => metadata?.['is_compact_summary'] === true);
      expect(at).toBeGreaterThan(0);
      const target = all
        .slice(0, at)
        .findLast((message) => isUsers({ role: message.role, metadata: message.metadata ?? {} }));
      expect(before).not.toContain(target?.id);
      ctx.rewind(project.repository, target?.id as string);
      const upTo = all.slice(0, all.findIndex(({ id }) => id === target?.id) + 1).map(({ id }) => id);
      expect(ids(project)).toEqual(upTo);
      ctx.unrewind(project.repository);
      expect(ids(project)).toEqual(before);
      expect(ids(project, 'all')).toEqual(all.map(({ id }) => id));
      expectSound(project);
    });

    test('the agent’s own compaction is taken back like one of ctx', () => {
      const project = ingested(fixture);
      const { message_id, shown } = ctx.uncompactContext(project.repository);
      expect(ids(project)).not.toContain(message_id);
      expect(shown).toBeGreaterThan(0);
      expectSound(project);
    });
  },
);

test.each([
  ['claude-code/compaction.jsonl', 6],
  ['claude-code/retry-backoff.jsonl', 12],
  ['claude-code/rewind.jsonl', 8],
  ['codex/rollback.jsonl', 14],
  ['pi/branches.jsonl', 8],
])('%s that grows behind a rewind is read to its end, and what was rewound stays out of view', (fixture, lines) => {
  const whole = ids(ingested(fixture), 'all');
  const project = ingested(fixture, lines);
  const before = ids(project);
  const [first] = [...ctx.readConversation(project.repository)].filter((message) =>
    isUsers({ role: message.role, metadata: message.metadata ?? {} }),
  );
  ctx.rewind(project.repository, first?.id as string);
  const hidden = before.filter((id) => !ids(project).includes(id));
  expect(hidden.length).toBeGreaterThan(0);
  writeFileSync(project.file, readFileSync(project.file, 'utf8') + project.rest);
  ctx.ingestTranscript(project.repository, project.file);
  expect(ids(project, 'all')).toEqual(whole);
  const now = ids(project);
  for (const id of hidden) expect(now).not.toContain(id);
  ctx.unrewind(project.repository);
  for (const id of hidden) expect(ids(project)).toContain(id);
  expectSound(project);
});

test('a rewind of a session that has ended is refused; a branch of it is not', () => {
  const project = ingested('claude-code/retry-backoff.jsonl');
  const id = ctx.activeSession(project.repository)?.session_id as string;
  const [first] = ids(project);
  ctx.compactSession(project.repository);
  expect(errorOf(() => ctx.rewind(project.repository, first as string)).code).toBe('no_active_session');
  const made = ctx.branchSession(project.repository, first as string, { of: id });
  expect(made).toMatchObject({ parent_session_id: id, messages: 1, current: true });
  expectSound(project);
});

test('a compaction that leaves the words of the user in view has summarised the turns that they begin', () => {
  const { repository } = ingested('codex/compaction.jsonl');
  const turns = [...ctx.readConversation(repository, 'STAGE', { view: 'all' })].flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'data-compaction' ? [(part.data as { turns: number }).turns] : [])),
  );
  expect(turns[0]).toBe(2);
});

test('what Claude Code itself writes in the name of the user is no message to go back to', () => {
  const project = makeProject();
  const file = join(project.folder, 'commands.jsonl');
  const base = { isSidechain: false, userType: 'external', cwd: '/home/dev/app', sessionId: 'c1', version: '2.1.330' };
  const said = [
    'Add a retry',
    '<local-command-stdout>Compacted</local-command-stdout>',
    '[Request interrupted by user]',
  ];
  const lines = said.map((content, index) => ({
    ...base,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    uuid: `u${index}`,
    timestamp: `2026-11-20T10:00:0${index}.000Z`,
    type: 'user',
    message: { role: 'user', content },
  }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  ctx.ingestTranscript(project.repository, file);
  expect(ctx.rewind(project.repository, '1', { dryRun: true })).toMatchObject({ message_id: 'u0', hidden: 2 });
});
