// Tests which texts of a user's stored message are the words of the user, and which its agent's program wrote in their name.
import { expect, test } from 'vitest';
import { usersWords } from '../../src/agents/index.ts';

const STOPPED = '[Request interrupted by user for tool use]';

test.each([
  ['claude-code', [STOPPED], null],
  ['claude-code', [STOPPED, 'Make it 5'], 'Make it 5'],
  ['claude-code', ['<system-reminder>\nA file changed.\n</system-reminder>'], null],
  ['claude-code', ['<system-reminder>\nA file changed.\n</system-reminder>', 'Make it 5'], 'Make it 5'],
  ['claude-code', ['<command-message>review</command-message>\n<command-name>/review</command-name>'], '/review'],
  ['claude-code', ['What does [Request interrupted by user] mean?'], 'What does [Request interrupted by user] mean?'],
  ['claude-code', [`${STOPPED}\nwhy does it say so?`], `${STOPPED}\nwhy does it say so?`],
  ['cursor', ['<user_query>\nMake it 5\n</user_query>'], 'Make it 5'],
  ['codex', ['Make it 5', STOPPED], `Make it 5\n${STOPPED}`],
  [null, ['Make it 5'], 'Make it 5'],
])('%s: %j', (agent, texts, words) => {
  expect(usersWords(agent, texts)?.trim() ?? null).toBe(words);
});
