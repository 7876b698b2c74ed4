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

test('a summary has every short request of a long conversation, and the commits that were made', () => {
  const messages = Array.from({ length: 90 }, (_, index) => [
    said('user', `Request ${index}.`),
    ran(`git commit -m ${index}`, 0, `[main (root-commit) ab12c${index + 100}] Subject ${index}\n 1 file changed`),
  ]).flat();
  const summary = extractSummary('The task', messages);
  expect(summary.match(/^- Request \d+\.$/gm)).toHaveLength(90);
  expect(summary).toContain('Commits made:\n');
  expect(summary).toContain('- ab12c189 Subject 89\n');
  const logged = ran('tail app.log', 0, '[2024-01-01 10:00:00 deadbeef] INFO started');
  expect(extractSummary('The task', [said('user', 'Look.'), logged])).not.toContain('deadbeef');
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
  'claude-code/8e_0a64736bc7_0.jsonl': [
    ['Which issue is it?', /ENT-98/],
    ['Which file was moved?', /help\.go/],
    ['Where is it now?', /cmd\/entire\/cli\/help\.go/],
    ['Which file called it by its package?', /root\.go/],
    ['What was removed?', /rm -rf .*commands/],
    ['Did the tests pass?', /mise run test.*exit 0/],
    ['Was it linted?', /mise run fmt && mise run lint/],
    ['Where does the user want the document?', /not as a comment, but as a document/],
    ['What is missing in the server?', /gap in the/],
    ['Which call failed?', /import_dist\.default|doesn't want to proceed/],
  ],
  'claude-code/71_c7dd8058dc_0.jsonl': [
    ['Which repository is the model?', /cc-skills-golang/],
    ['Which install did not work?', /cursor/i],
    ['Why?', /flat-discovery|nests everything under/],
    ['Which version is it now?', /0\.3\.0/],
    ['Why not 0.2.0?', /else is going to merge a 0\.2\.0/],
    ['Which skill did the main branch bring?', /what-happened/],
    ['Which commit is the merge?', /932a360/],
    ['On which branch was the work?', /alisha\/refactor/],
    ['How many ways to improve it were found?', /Four deepening/],
    ['Which commit has the new layout?', /41369d3/],
  ],
  'pi/large-session.jsonl': [
    ['Which component was still to be ported?', /user-message-selector/],
    ['What must every rendered line fulfil?', /invariant that every line/],
    ['What should themes have instead of indices?', /rgb values/],
    ['Which color has a green line of a diff?', /b5bd68/i],
    ['From which usage on does the footer warn?', /70%/],
    ['Which setting does VS Code need?', /minimumContrastRatio/i],
    ['How can a theme be edited live?', /file watcher|fs\.watch/i],
    ['What must an invalid theme never do?', /NEVER explode/],
    ['What does setTheme return?', /setTheme should return an error/],
    ['How are the colors of tools to be called?', /toolTitle and toolOutput/],
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
