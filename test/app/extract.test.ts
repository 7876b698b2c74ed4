// Tests the contents of a summary without a model for real conversations: ten questions about each, of which eight must have their answer in it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extractSummary, type Told } from '../../src/core/conversation/extract.ts';
import { asSummary, HEADINGS } from '../../src/core/conversation/summary-format.ts';
import * as ctx from '../../src/index.ts';
import { makeProject } from '../support/store.ts';

const REAL = '/work/shared/transcripts';

const said = (role: 'user' | 'assistant', text: string): Told => ({
  role,
  isUsers: role === 'user',
  isSummary: false,
  parts: [{ type: 'text', text }],
});
const ran = (command: string, exit_code: number, output = ''): Told => ({
  role: 'assistant',
  isUsers: false,
  isSummary: false,
  parts: [
    {
      ...{ type: 'dynamic-tool', toolName: 'Bash', toolCallId: command, state: 'output-available' },
      ...{ input: { command }, output, exit_code },
    },
  ],
});

describe('a summary without a model', () => {
  test('has the four headings, and under each what belongs there', () => {
    const summary = extractSummary('Add a retry', [
      said('user', 'Add a retry to the client.'),
      said('assistant', 'Shall I use full jitter?'),
      said('user', 'Yes, with a cap of 30 s.'),
      ran('npm test', 1, 'lots\nof output\n2 tests failed'),
      ran('npm run build', 0),
      ran('cat src/client.ts', 0),
      said(
        'assistant',
        'I chose a cap of 30 s because the server closes idle connections.\n\nNext I fix the two tests.',
      ),
    ]);
    expect(summary).toBe(
      [
        '## Goal',
        '- Add a retry',
        'The user asked, in order:',
        '- Add a retry to the client.',
        '- Yes, with a cap of 30 s.',
        '',
        '## Progress',
        'Commands that failed, the last run of each:',
        '- `npm test` (exit 1: 2 tests failed)',
        'Commands that passed:',
        '- `npm run build` (exit 0)',
        '',
        '## Decisions',
        '- I chose a cap of 30 s because the server closes idle connections.',
        'Questions to the user, and the answers:',
        '- Shall I use full jitter? → Yes, with a cap of 30 s.',
        '',
        '## Next steps',
        'The last words:',
        '- Shall I use full jitter?',
        '- I chose a cap of 30 s because the server closes idle connections.',
        '- Next I fix the two tests.',
        '',
      ].join('\n'),
    );
    expect(asSummary(summary)).not.toBeNull();
  });

  test('of a long conversation is made shorter until it fits, and keeps its headings', () => {
    const long = Array.from({ length: 400 }, (_, index) => [
      said('user', `Request ${index}: ${'please '.repeat(60)}`),
      said('assistant', `I decided to do ${index} because ${'it is right '.repeat(30)}.`),
    ]).flat();
    for (const limit of [24_000, 4000]) {
      const summary = extractSummary('The task', long, limit);
      expect(summary.length).toBeLessThan(limit);
      expect(summary.match(/^## .*$/gm)).toEqual(HEADINGS.map((heading) => `## ${heading}`));
      expect(summary).toContain('Request 399');
    }
  });
});

/** Questions about what was summarised, each with the words of its answer. */
const QUESTIONS: Record<string, [question: string, answer: RegExp][]> = {
  'codex/d6_54a3e78b3c_0.jsonl': [
    ['Which skill is reviewed?', /plugins\/entire\/skills\/what-happened/],
    ['How is it called now?', /called "What Happened"/],
    ['What matters most to the user?', /performance/],
    ['Which old name is still in it?', /`name: wat`/],
    ['What does it not say of uncommitted code?', /untracked or uncommitted code/],
    ['Which two outcomes does it mix up?', /no checkpoint exists.{1,10}with/],
    ['Why does it do N\\+1 work?', /N\+1/],
    ['In which order should details be fetched?', /--commit --short.*--checkpoint/],
    ['How should a snippet be looked up in a large file?', /rg -n -F/],
    ['Was anything edited?', /did not edit anything/],
  ],
  'claude-code/76_62d755ef9f_2.jsonl': [
    ['What was wrong with the hooks of Gemini at first?', /always using `go run`/],
    ['Which flag must they respect?', /--local-dev/],
    ['What did the warning block?', /blocking ALL checkpoint creation/],
    ['Which test was missing?', /TestGeminiConcurrentSessions_BothCondensedOnCommit/],
    ['How much of the two implementations is the same?', /95% duplication/],
    ['Where is the issue written down?', /ISSUE-orphaned-sessions\.md/],
    ['Does git reset delete shadow branches?', /doesn't delete branches|survive `git reset`|doesn't "undelete"/],
    ['What does the user doubt?', /I'm quite sure this happened, branches got deleted/],
    ['On what does the user want to focus now?', /I still got 2 commits/],
    ['Which call makes one commit for each session?', /CondenseSession\(\)|WriteCommitted\(\)/],
  ],
  'claude-code/77_5ca827279f_0.jsonl': [
    ['What is reviewed?', /review the change in this branch/],
    ['What worries the user?', /shadow branches where we use `git add`/],
    ['Against what was the branch compared?', /git diff main\.\.\.HEAD/],
    ['Is that a problem for shadow branches?', /not an issue/],
    ['Do shadow branches use the index?', /never touches the git index/],
    ['Which strategy does the fix concern?', /The Fix \(Auto-Commit Strategy\)/],
    ['Which function is dead code?', /`StageFiles\(\)`.*dead code/],
    ['Where is it?', /common\.go:719/],
    ['Why was it replaced?', /gitignore|worktree\.Add\(\)/],
    ['Which file holds the temporary checkpoints?', /checkpoint\/temporary\.go/],
  ],
};

describe.skipIf(!existsSync(REAL))('real conversations (skipped without the transcripts)', () => {
  test.each(Object.entries(QUESTIONS))(
    '%s: eight of ten questions are answered by its summary',
    async (file, questions) => {
      const { repository } = makeProject();
      ctx.ingestTranscript(repository, join(REAL, file));
      const { part, turns } = await ctx.compactContext(repository, { dryRun: true });
      const summary = part?.data.summary ?? '';
      const unanswered = questions.filter(([, answer]) => !answer.test(summary)).map(([question]) => question);
      process.stdout.write(
        `${file}: ${turns} turns, ${summary.length} characters, unanswered: ${unanswered.join(' ') || 'none'}\n`,
      );
      expect(questions).toHaveLength(10);
      expect(unanswered.length).toBeLessThanOrEqual(2);
      // A summary is worth its room: the calls with their outputs are many times as long.
      expect(summary.length).toBeLessThan(24_000);
    },
  );
});
