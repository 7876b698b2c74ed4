// The screens that people look at most, over the transcripts of real programs if they are beside the project: no line wraps at 80 and
// 120 columns, and every title says what the session was about.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/index.ts';
import { folder, type Repo, repository, run } from '../support/cli.ts';
import { ROOT } from '../support/store.ts';

const transcripts = join(ROOT, '..', 'shared', 'transcripts');
const isThere = existsSync(transcripts);
/** After the last of them. */
const NOW = Date.parse('2026-12-01T12:00:00Z') / 1000;
const WIDTHS = [80, 120];

/** The lines of a screen of so many columns; each must fit. */
function screen(of: Repo, line: readonly string[], columns: number): string[] {
  const { code, stdout } = of.run(line, { env: { COLUMNS: String(columns) } });
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((one) => stringWidth(one) > columns)).toEqual([]);
  return lines;
}

describe.skipIf(!isThere)(
  `screens${isThere ? '' : ' (skipped: no transcripts of real programs beside the project)'}`,
  () => {
    let repo: Repo;
    let rows: SessionRow[];

    beforeAll(() => {
      repo = repository({ now: NOW });
      repo.run(['ingest', '--here', transcripts]);
      rows = repo.json<SessionRow[]>(['list']);
    }, 120_000);

    test('each title is words of the user, without tags, marks or commands of a program', () => {
      expect(rows.length).toBeGreaterThan(40);
      for (const { title } of rows) {
        expect(title).toMatch(/\p{L}{2}/u);
        expect(title).not.toMatch(/^(?:[<[{#>*`]|untitled)|<\/?[a-z][\w-]*>|\*\*|\n/i);
        expect(title.length).toBeLessThanOrEqual(72);
      }
      const long = rows.filter(({ title }) => /\s/.test(title));
      expect(long.length / rows.length).toBeGreaterThan(0.85);
    });

    test.each(WIDTHS)('list at %i columns has a line for each session, with a third of it for the title', (columns) => {
      const lines = screen(repo, ['list'], columns);
      const top = rows.filter((row) => row.parent_session_id === null);
      expect(lines).toHaveLength(top.length);
      for (const [index, { short_id, title }] of top.entries()) {
        expect(lines[index]).toContain(short_id);
        expect(lines[index]).toContain(title.slice(0, Math.floor(columns / 3) - 1).trimEnd());
      }
    });

    test.each(WIDTHS)('status at %i columns fits', (columns) => {
      const [open] = rows.filter((row) => row.open);
      repo.run(['switch', open?.short_id ?? '']);
      expect(screen(repo, ['status'], columns).join('\n')).toContain(open?.title.slice(0, 40));
    });

    test.each(WIDTHS)('log --oneline at %i columns has a line for each commit', (columns) => {
      const ended = repo.copy();
      ended.run(['stage', 'cleanup', '--max-idle', '1']);
      const commits = ended.json<{ title: string }[]>(['log']);
      expect(commits.length).toBeGreaterThan(40);
      const lines = screen(ended, ['log', '--oneline'], columns);
      expect(lines).toHaveLength(commits.length);
      for (const [index, { title }] of commits.entries())
        expect(lines[index]).toContain(title.slice(0, Math.floor(columns / 3) - 1).trimEnd());
    });
  },
);

test.each(WIDTHS)('hooks install at %i columns fits, with six lines an agent at most', (columns) => {
  const [home, project] = [folder('home-'), folder('project-')];
  for (const name of ['.git', '.claude', '.codex', '.gemini', '.pi', '.cursor', '.opencode'])
    mkdirSync(join(project, name));
  const { code, stdout } = run(['hooks', 'install'], { cwd: project, env: { HOME: home, COLUMNS: String(columns) } });
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  const agents = lines.filter((line) => line.includes('(--project)')).length;
  expect(agents).toBeGreaterThan(4);
  expect(lines.length).toBeLessThanOrEqual(6 * agents);
});
