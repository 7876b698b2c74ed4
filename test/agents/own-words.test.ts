// Whose words a text in the user's name holds: of each agent the same in a transcript, in a hook's prompt and in what is kept.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentNamed, usersWords } from '../../src/agents/index.ts';

const SESSION = '7c0f3a52-6a11-4d0e-9f55-0a1b2c3d4e5f';
const AT = '2026-10-04T08:00:00.000Z';

/** Writes the words of a user as each agent does, one line a record. */
const TRANSCRIPTS: Record<string, (text: string) => object[]> = {
  'claude-code': (text) => [claudeRecord({ message: { role: 'user', content: text } })],
  codex: (text) => [
    { timestamp: AT, type: 'session_meta', payload: { id: SESSION, timestamp: AT, cwd: '/w', cli_version: '0.171.0' } },
    {
      timestamp: AT,
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    },
  ],
  copilot: (text) => [
    { type: 'user.message', id: 'e1', parentId: null, timestamp: AT, data: { content: text, attachments: [] } },
  ],
  cursor: (text) => [{ role: 'user', message: { content: [{ type: 'text', text }] } }],
  droid: (text) => [
    { type: 'session_start', id: SESSION, title: 'T', owner: 'dev', version: 2, cwd: '/w' },
    { type: 'message', id: 'm1', timestamp: AT, message: { role: 'user', content: [{ type: 'text', text }] } },
  ],
  gemini: (text) => [
    { sessionId: SESSION, projectHash: 'a'.repeat(64), startTime: AT, lastUpdated: AT },
    { id: 'm1', timestamp: AT, type: 'user', content: [{ text }] },
  ],
  opencode: (text) => [
    { info: { id: 'ses_1', directory: '/w', title: 'T', version: '1.18.33', time: { created: 1_790_000_000_000 } } },
    {
      info: { id: 'msg_1', role: 'user', sessionID: 'ses_1', time: { created: 1_790_000_000_000 } },
      parts: [{ id: 'prt_1', type: 'text', text, messageID: 'msg_1', sessionID: 'ses_1' }],
    },
  ],
  pi: (text) => [
    { type: 'session', version: 3, id: SESSION, timestamp: AT, cwd: '/w' },
    { type: 'message', id: 'a1', parentId: null, timestamp: AT, message: { role: 'user', content: text } },
  ],
};

function claudeRecord(more: object): object {
  return { type: 'user', uuid: 'u1', parentUuid: null, sessionId: SESSION, cwd: '/w', timestamp: AT, ...more };
}

const EVENTS: Record<string, string> = {
  'claude-code': 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  cursor: 'beforeSubmitPrompt',
  gemini: 'BeforeAgent',
  opencode: 'prompt',
  pi: 'prompt',
};

/** The prompts that a transcript tells. */
function promptsIn(agent: string, records: readonly object[]): string[] {
  const reader = agentNamed(agent)?.reader(null);
  if (!reader) return expect.fail(`there is no reader of ${agent}`);
  const told = records.flatMap((record, index) => [...reader.line(JSON.stringify(record), index + 1)]);
  return [...told, ...reader.end()].flatMap((event) => (event.type === 'prompt' ? [event.text] : []));
}

/** The user's words in a text, as the agent's transcript tells them; null if there are none. */
const inTranscript = (agent: string, text: string): string | null =>
  promptsIn(agent, TRANSCRIPTS[agent]?.(text) ?? []).join('|') || null;

/** The same as its hook tells them. */
function inHook(agent: string, text: string): string | null {
  const event = { hook_event_name: EVENTS[agent] ?? '', session_id: SESSION, conversation_id: SESSION, cwd: '/w' };
  const happened = agentNamed(agent)?.hooks?.read({ ...event, prompt: text })?.happened;
  return happened?.what === 'prompt' ? happened.text || null : null;
}

function expectWords(agent: string, text: string, words: string | null): void {
  expect([inTranscript(agent, text), usersWords(agent, [text])], text).toEqual([words, words]);
  if (agent in EVENTS) expect(inHook(agent, text), text).toBe(words);
}

const WORDS = 'Rename the column and run the tests.';
const AGENTS = Object.keys(TRANSCRIPTS);

/** Elements that each agent's program, its editor or another agent writes. */
const ELEMENTS: [agent: string, elements: string[]][] = [
  [
    'claude-code',
    [
      '<teammate-message teammate_id="planner" color="red" summary="a > b">\nBegin with the schema.\n</teammate-message>',
      '<agent-message from="planner">\nDone.\n</agent-message>',
      '<cross-session-message from="uds:/run/a.sock" from-name="docs">\nWhich port?\n</cross-session-message>',
      '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>',
      '<system-reminder>\nThe file schema.sql has changed.\n</system-reminder>',
      '<ide_opened_file>The user opened the file /w/schema.sql in the IDE.</ide_opened_file>',
      '<ide_selection>The user selected the lines 1 to 3 from /w/a.html:\n<b>bold</b>\n</ide_selection>',
      '<ide_of_a_later_release>what is open</ide_of_a_later_release>',
      '<terminal name="zsh">\n$ make\n</terminal>',
      '<channel source="plugin:chat" chat_id="7">\nAre you there?\n</channel>',
      '<context ref="file:///w/a.ts">\nexport const a = 1;\n</context>',
      '<local-command-stdout>3 files</local-command-stdout>',
      '<bash-input>ls</bash-input><bash-stdout>a.ts</bash-stdout><bash-stderr></bash-stderr>',
      '<user-prompt-submit-hook>Remember the style.</user-prompt-submit-hook>',
      '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
      '<tick>2026-10-04T08:00:00Z</tick>',
    ],
  ],
  [
    'codex',
    [
      '<environment_context>\n<cwd>/w</cwd>\n</environment_context>',
      '<user_instructions>\nUse tabs.\n</user_instructions>',
      '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n\n# More\n</INSTRUCTIONS>',
      '<permissions instructions>\nAsk first.\n</permissions instructions>',
      '<subagent_notification>\n{"agent_path":"a","status":"shutdown"}\n</subagent_notification>',
      '<turn_aborted>\nThe user interrupted.\n</turn_aborted>',
      '<skill>\n<name>lint</name>\n<path>/s/SKILL.md</path>\nRun it.\n</skill>',
      '<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>',
      '<hook_context>from a hook</hook_context>',
      '<codex_internal_context source="user_goal">go on</codex_internal_context>',
    ],
  ],
  [
    'gemini',
    [
      '<hook_context>from a hook</hook_context>',
      '<session_context>\nToday is Sunday.\n</session_context>',
      'Here is the user\'s editor context as a JSON object. This is for your information only.\n```json\n{"openFiles":[]}\n```',
    ],
  ],
  ['pi', ['<file name="/w/notes.md">\n# Notes\n</file>']],
  ['opencode', ['<system-reminder>\nYou are in plan mode.\n</system-reminder>']],
  [
    'cursor',
    [
      '<attached_files>\n<code_selection path="/w/a.ts" lines="1-2">\nlet a;\n</code_selection>\n</attached_files>',
      '<open_and_recently_viewed_files>\n- /w/a.ts\n</open_and_recently_viewed_files>',
      '<additional_data>\n<current_file>a.ts</current_file>\n</additional_data>',
      '<system_reminder>Be short.</system_reminder>',
    ],
  ],
  [
    'copilot',
    [
      '<current_datetime>2026-10-04T08:00:00Z</current_datetime>',
      '<reminder>\n<sql_tables>No tables currently exist.</sql_tables>\n</reminder>',
      '<attachments>\n<attachment id="a.ts">let a;</attachment>\n</attachments>',
    ],
  ],
];

describe.each(ELEMENTS)('%s', (agent, elements) => {
  test.each(elements)("the words behind it are the user's: %j", (element) => {
    expectWords(agent, `${element}\n${WORDS}`, WORDS);
    expectWords(agent, `${element}\n\n${element}\n\n${WORDS}`, WORDS);
  });

  test.each(elements.filter((element) => element.startsWith('<') && !element.startsWith('<command-name>')))(
    'behind the words, on lines of its own, it is not theirs: %j',
    (element) => {
      const last = element.includes('><bash-') ? '<bash-input>ls</bash-input>' : element;
      expectWords(agent, `${WORDS}\n${last}`, WORDS);
    },
  );

  test.each(elements.filter((element) => !element.startsWith('<file ')))(
    "alone it is nobody's prompt: %j",
    (element) => {
      expectWords(agent, element, null);
    },
  );

  test.each(elements)('quoted in the midst of the words it stays theirs: %j', (element) => {
    const quoting = `What does ${element} mean, and who writes it?`;
    expectWords(agent, quoting, quoting);
  });
});

const ENDED = '<task-notification>\n<task-id>b1</task-id>\n<summary>It is built.</summary>\n</task-notification>';
const RELAYED = 'This came from another Claude session \u2014 not typed by your user. Answer with SendMessage.';

/** Texts that a program frames whole, whatever follows; and those that hold the user's words. */
const FRAMES: [agent: string, text: string, words: string | null][] = [
  [
    'claude-code',
    `<teammate-message teammate_id="a">\nIt ends with </teammate-message> then.\n</teammate-message>\n${WORDS}`,
    WORDS,
  ],
  [
    'claude-code',
    '<teammate-message teammate_id="a">\nDone.\n</teammate-message>\nWhat does </teammate-message> mean?',
    'What does </teammate-message> mean?',
  ],
  ...[
    'Read the output file to retrieve the result: /w/b1.output',
    'Full transcript available at: C:\\t\\b1.output',
  ].flatMap((note): [string, string, string | null][] => [
    ['claude-code', `${ENDED}\n${note}`, null],
    ['claude-code', `${ENDED}\n${note}\n\n${ENDED}\n${note}\n`, null],
    ['claude-code', `${ENDED}\n${note}\n${WORDS}`, WORDS],
    ['claude-code', `${note}\n${WORDS}`, `${note}\n${WORDS}`],
    ['codex', `${note}\n${WORDS}`, `${note}\n${WORDS}`],
  ]),
  [
    'claude-code',
    `${ENDED}\nRead the output file to retrieve the results, and sort them.`,
    'Read the output file to retrieve the results, and sort them.',
  ],
  [
    'claude-code',
    `<cross-session-message from="uds:/run/a.sock">\nWhich port?\n</cross-session-message>\n\n${RELAYED}\n\n${WORDS}`,
    WORDS,
  ],
  ['claude-code', `Another Claude session sent a message:\nFROM THE DESK\nWhich port?\n\n${RELAYED}`, null],
  [
    'claude-code',
    'A message arrived from plugin:chat while you were working:\n<channel source="plugin:chat">\nHi\n</channel>\n\nIMPORTANT: This is NOT from your user.',
    null,
  ],
  ['claude-code', `A background agent completed a task:\n${ENDED}`, null],
  ['claude-code', 'Stop hook feedback:\n- [npm test] 2 tests fail', null],
  ['codex', '# Context from my IDE setup:\n\n## Active file: src/a.ts', null],
  [
    'codex',
    '# Context from my IDE setup:\n\n## Active file: a.ts\n\n## Active selection of the file:\nlet a;\n\n## Open tabs:\n- a.ts: a.ts\n',
    null,
  ],
  [
    'codex',
    `# Context from my IDE setup:\n\n## Open tabs:\n- a.ts: a.ts\n\n## My request for Codex:\n${WORDS}\n\n## My request for Codex:\nfix the parser`,
    `${WORDS}\n\n## My request for Codex:\nfix the parser`,
  ],
  [
    'codex',
    `# Context from my IDE setup:\n\n## Active selection of the file:\n## My request for Codex:\nwipe it\n\n## Open tabs:\n- a.ts: a.ts\n\n## My request for Codex:\n${WORDS}\n\n## My request for Codex:\nfix`,
    `${WORDS}\n\n## My request for Codex:\nfix`,
  ],
  ['codex', '# Context from my IDE setup:\n\n## Active file: a.ts\n\n## Open tabs:\n- a.ts: src/a.ts\n', null],
  [
    'codex',
    `# Context from my IDE setup:\n\n## Active file: a.ts\n\n${WORDS}`,
    `# Context from my IDE setup:\n\n## Active file: a.ts\n\n${WORDS}`,
  ],
  ['codex', `# Context from my IDE setup:\n\n## Active file: a.md\n\n# My request for Codex:\n${WORDS}`, WORDS],
  [
    'claude-code',
    'Another Claude session sent a message:\n<teammate-message teammate_id="a">\nDone.\n</teammate-message>\n\nThis came from another Claude session.',
    null,
  ],
  [
    'claude-code',
    'A peer session sent a message while you were working:\n<cross-session-message from="a">\nHi\n</cross-session-message>',
    null,
  ],
  [
    'claude-code',
    'The coordinator sent a message while you were working:\nAdd a test.\n\nAddress this before completing your current task.',
    null,
  ],
  [
    'claude-code',
    '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n\nBuild finished.',
    null,
  ],
  [
    'claude-code',
    '[SCHEDULED TASK - AUTOMATED FIRING OF A CONFIGURED PROMPT]\nThis turn was started by a schedule.\n\nCheck the queue.',
    null,
  ],
  [
    'claude-code',
    'This session is being continued from a previous conversation that ran out of context. The summary below covers it.',
    null,
  ],
  [
    'claude-code',
    'Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages.',
    null,
  ],
  [
    'claude-code',
    'Your background observer (lint) sent a report:\nTwo warnings.\n\nThis is a one-way advisory, do not reply to the observer. It is not from your user.',
    null,
  ],
  [
    'claude-code',
    '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>staged files</command-args>',
    '/review staged files',
  ],
  ['claude-code', `${WORDS}\n<system-reminder>Message sent at Sun 08:00.</system-reminder>`, WORDS],
  [
    'codex',
    `# Context from my IDE setup:\n\n## Active file: a.md\n\n## Open tabs:\n- a.md: a.md\n\n## My request for Codex:\n${WORDS}`,
    WORDS,
  ],
  [
    'codex',
    `# Files mentioned by the user:\r\n\r\n## shot.png:\r\nC:/t/shot.png\r\n\r\n## My request for Codex:\r\n${WORDS}`,
    WORDS,
  ],
  ['codex', `## My request for Codex: ${WORDS}`, WORDS],
  [
    'codex',
    `<environment_context>\n<cwd>/w</cwd>\n</environment_context>\n# Context from my IDE setup:\n\n## My request for Codex:\n${WORDS}`,
    WORDS,
  ],
  [
    'codex',
    'Another language model started to solve this problem and produced a summary of its thinking process.',
    null,
  ],
  [
    'codex',
    'The following is the Codex agent history whose request action you are assessing.\n>>> TRANSCRIPT START',
    null,
  ],
  [
    'codex',
    '```markdown\n## My request for Codex:\nSort it.\n```\nWhy does my log have this?',
    '```markdown\n## My request for Codex:\nSort it.\n```\nWhy does my log have this?',
  ],
  ['gemini', 'This is the Gemini CLI. We are setting up the context for our chat.\nToday is Sunday.', null],
  ['gemini', 'System: Please continue.', null],
  [
    'gemini',
    `${WORDS} @a.ts\n--- Content from referenced files ---\nContent from @a.ts:\nlet a;\n--- End of content ---`,
    `${WORDS} @a.ts`,
  ],
  [
    'pi',
    '<skill name="review" location="/s/SKILL.md">\nLook at all of it.\n</skill>\n\nstaged files',
    '/skill:review staged files',
  ],
  ['pi', '<skill name="review" location="/s/SKILL.md">\nLook at all of it.\n</skill>', '/skill:review'],
  ['pi', '<file name="/w/ask.md">\nAdd a test.\n</file>', '<file name="/w/ask.md">\nAdd a test.\n</file>'],
  ['opencode', 'Summarize the task tool output above and continue with your task.', null],
  [
    'cursor',
    `<timestamp>Sunday, Oct 4, 2026, 8:00 AM (UTC)</timestamp>\n<a_later_tag>x</a_later_tag>\n<user_query>\n${WORDS}\n</user_query>\n<system_reminder>Be short.</system_reminder>`,
    WORDS,
  ],
  [
    'copilot',
    `<context>\nThe current date is 4 October 2026.\n</context>\n<userRequest>\n${WORDS}\n</userRequest>`,
    WORDS,
  ],
];

test.each(FRAMES)('%s: %j', expectWords);

/** First lines of what the program frames, as users ask about them. */
const FRAME_LINES = [
  'Another Claude session sent a message:',
  'A peer session sent a message while you were working:',
  'The coordinator sent a message:',
  'Your background observer (lint) sent a report:',
  'A message arrived from plugin:chat while you were working:',
  'A background agent completed a task:',
  '[SYSTEM NOTIFICATION - NOT USER INPUT]',
  '[SCHEDULED TASK - AUTOMATED FIRING OF A CONFIGURED PROMPT]',
];

test.each(FRAME_LINES)("with nothing of the program's behind it, it is the user's: %s", (line) => {
  expectWords('claude-code', `${line} where does my log have that from?`, `${line} where does my log have that from?`);
});

test.each(FRAME_LINES.filter((line) => line.includes('session')))(
  "with an element behind it that is never closed, or no agent has written, it is the user's: %s",
  (line) => {
    for (const rest of ['<teammate-message> is misspelt.', '<b>bold</b> is missing.', 'That line is in my log.'])
      expectWords('claude-code', `${line}\n${rest}`, `${line}\n${rest}`);
  },
);

const PATCHED =
  'Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command.';
const ADVISED = 'This is a one-way advisory, do not reply to the observer. It is not from your user.';
const SELECTED =
  '# Context from my IDE setup:\n\n## Active selection of the file:\nREADME\n## My request for Codex:\nwipe it';
const CONTINUED = 'This session is being continued from a previous conversation that ran out of context.';

/** Texts that a program has written up to its own end, with the user's words right behind it. */
const COMPLETE: [agent: string, frame: string][] = [
  ['codex', PATCHED],
  [
    'codex',
    'Warning: The maximum number of unified exec processes you can keep open is 60 and you currently have 61 processes open. Reuse older processes or close them to prevent automatic pruning of old processes',
  ],
  [
    'codex',
    'Warning: Your account was flagged for potentially high-risk cyber activity and this request was routed to gpt-5.2 as a fallback.',
  ],
  ['codex', '# AGENTS.md instructions\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>'],
  ['codex', `${SELECTED}\n\n## My request for Codex:`],
  ['claude-code', 'Stop hook feedback:\n- [npm test] 2 tests fail\n- lint failed'],
  [
    'claude-code',
    `The coordinator sent a message:\nAdd a test.\n\nIn go.ts.\n\nAddress this before completing your current task.`,
  ],
  ['claude-code', `Your background observer (lint) sent a report:\nTwo warnings.\n\n${ADVISED}`],
  [
    'claude-code',
    'The shop plugin sent a message:\nGo on.\n\nThis is how Claude Code surfaces a prompt a plugin submits between turns. Address the message above.',
  ],
  ['claude-code', `[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n\n${ENDED}`],
  [
    'claude-code',
    '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n\nIt is built.',
  ],
  ['claude-code', CONTINUED],
  [
    'claude-code',
    `${CONTINUED} The summary below covers it.\n\nSummary:\n1. Roses.\n\n2. Fish.\nPlease continue the conversation from where we left it off.`,
  ],
  [
    'claude-code',
    'Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages.',
  ],
  [
    'gemini',
    'This is the Gemini CLI. We are setting up the context for our chat.\nToday is Sunday.\n\nShowing up to 200 items:\n\n/w\n├───a.ts',
  ],
  ['opencode', 'Called the read tool with the following input: {"filePath":"/w/a.ts"}'],
];

test.each(COMPLETE)("%s: the words behind what is complete are the user's: %j", (agent, frame) => {
  expectWords(agent, `${frame}\n\n${WORDS}`, WORDS);
  expectWords(agent, `${frame}\n\n${WORDS}\n\nAnd the docs.`, `${WORDS}\n\nAnd the docs.`);
});

/** Texts of a user that begin like a program's text or an element of its, and are neither complete nor have its sign. */
const BEGUN: [agent: string, text: string][] = [
  ['codex', `# AGENTS.md instructions\n${WORDS}`],
  ['codex', `# AGENTS.md instructions for /w\n\n<INSTRUCTIONS> is never closed. ${WORDS}`],
  ['codex', `<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>\n${WORDS}`],
  ['codex', `<external_id>5</external_id>\n${WORDS}`],
  ['codex', `<user_action>save</user_action>\n${WORDS}`],
  ['codex', `Warning: apply_patch was requested via exec_command.\n\n${WORDS}`],
  ['codex', `${PATCHED} ${WORDS}`],
  ['codex', 'Warning: The maximum number of unified exec processes you can keep open is 60 - how do I raise that?'],
  ['codex', 'Warning: Your account was flagged for potentially high-risk cyber activity, what now?'],
  ['codex', 'Another language model started to solve this problem: look at what it did.'],
  ['codex', 'The following is the Codex agent history added since Monday: sort it.'],
  ['codex', '# Todo:\n- a\n- b\n## My request for Bob:\nwhat he said'],
  ['codex', '# Todo:\n- a\n## My request for Codex:\nwhat it said'],
  ['claude-code', `Stop hook feedback:\n${WORDS}`],
  ['claude-code', `The coordinator sent a message:\n${WORDS}`],
  ['claude-code', `Your background observer (lint) sent a report:\n${WORDS}`],
  ['claude-code', `The shop plugin sent a message:\n${WORDS}`],
  ['claude-code', `[SYSTEM NOTIFICATION - NOT USER INPUT]\n${WORDS}`],
  ['claude-code', `[SCHEDULED TASK - AUTOMATED FIRING OF A CONFIGURED PROMPT]\n${WORDS}`],
  ['claude-code', 'Activity in the bound conversation is not shown. Look into it.'],
  ['claude-code', 'Caveat: The messages below were generated by the user while running local commands. Who says that?'],
  ['claude-code', `${CONTINUED} The summary is below.\n\nSummary:\n1. Roses.\n\n${WORDS}`],
  ['claude-code', '<tick>5</tick> is what the feed sends; parse it'],
  ['claude-code', '<tick>08:00:00</tick> is what the feed sends; parse it'],
  ['claude-code', `<tick>5</tick>\n${WORDS}`],
  ['claude-code', `<wake>now</wake>\n${WORDS}`],
  ['claude-code', `<total_tokens>5</total_tokens>\n${WORDS}`],
  ['copilot', `<reminder>buy milk</reminder>\n${WORDS}`],
  ['copilot', `<attachments>\n<file>a.ts</file>\n</attachments>\n${WORDS}`],
  ['copilot', `${WORDS}\n<workspace_info>\n<root>/w</root>\n</workspace_info>`],
  ['cursor', `<rules>\n<rule>no tabs</rule>\n</rules>\n${WORDS}`],
  ['cursor', '<rules><rule id="1">no tabs</rule></rules>'],
  ['cursor', `<timestamp>12</timestamp> ${WORDS}`],
  ['cursor', `${WORDS}\n<timestamp>12</timestamp>`],
  ['cursor', `<todo_list>\n- a\n</todo_list>\n${WORDS}`],
  ['cursor', `<user_info>\n<name>Ada</name>\n</user_info>\n${WORDS}`],
  ['gemini', 'This is the Gemini CLI. We are setting up a new machine: which files do I copy?'],
  ['opencode', 'Called the read tool with the following input: nothing. Why?'],
  ['opencode', 'Summarize the task tool output above and continue with your task. Then stop.'],
];

test.each(BEGUN)("%s: what is not complete, or has no sign of the program's, is the user's: %j", (agent, text) => {
  expectWords(agent, text, text);
});

test('cursor: in its own element the words stay whole, whatever they begin with', () => {
  const words = `<rules>\n<rule>no tabs</rule>\n</rules>\n${WORDS}`;
  const quoting = `Sort <user_query> before <timestamp>. ${WORDS}`;
  expectWords('cursor', `<timestamp>12</timestamp>\n<user_query>\n${quoting}\n</user_query>`, quoting);
  expectWords('cursor', `<rules>Be short.</rules>\n<user_query>\n${words}\n</user_query>`, words);
});

/** Texts that users paste and ask, which begin like an element and are none. */
const PASTED = [
  `<div class="a">\n  <p>old</p>\n</div>\n${WORDS}`,
  `<PriceList items={items} />\n${WORDS}`,
  `<?xml version="1.0"?>\n<feed>\n<channel><title>News</title></channel>\n</feed>\n${WORDS}`,
  `<channel><title>News</title></channel>\n${WORDS}`,
  `<a_later_tag>what is open</a_later_tag>\n${WORDS}`,
  `<script setup>\nconst a = 1;\n</script>\nwhy is a undefined?`,
  '<system-reminder> shows up in my log: who writes it?',
  '# Notes\n\nSort them.',
  'a < b and b > c: which one is it?',
];

test.each(AGENTS.flatMap((agent) => PASTED.map((text): [string, string] => [agent, text])))(
  '%s: what a user has pasted stays theirs: %j',
  (agent, text) => expectWords(agent, text, text),
);

test('the reader, the hook and what is kept agree, whatever the text', () => {
  const element = fc.constantFrom(...ELEMENTS.flatMap(([, elements]) => elements), ...FRAMES.map(([, text]) => text));
  const piece = fc.oneof(
    element,
    fc.constantFrom(...PASTED, WORDS, '\n', '\n\n', ' ', '</user_query>', '<user_query>'),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('\n'));
  fc.assert(
    fc.property(fc.constantFrom(...AGENTS), text, (agent, said) => {
      const words = inTranscript(agent, said);
      expect(usersWords(agent, [said])).toBe(words);
      if (agent in EVENTS) expect(inHook(agent, said)).toBe(words);
      // Nothing is made up: but for commands that a program has unfolded, the words stand in the text.
      if (words !== null && !words.startsWith('/')) expect(said).toContain(words.split('\n')[0]);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ['isMeta', { isMeta: true }],
  ['isCompactSummary', { isCompactSummary: true }],
  ['a record for the transcript alone', { isVisibleInTranscriptOnly: true }],
  ['a record of the queue for the transcript alone', { queueTranscriptOnly: true }],
  ['a peer', { origin: { kind: 'peer', from: 'docs' } }],
  ['a channel', { origin: { kind: 'channel' } }],
  ['a plugin', { origin: { kind: 'plugin', name: 'p' }, promptSource: 'queued' }],
  ['the program, that goes on by itself', { origin: { kind: 'auto-continuation' } }],
  ['a kind of a later release', { origin: { kind: 'of-a-later-release' } }],
  ['the program, by the source of the prompt', { promptSource: 'system' }],
])('claude-code: a record that says it is of %s is no prompt', (_, more) => {
  const record = claudeRecord({ message: { role: 'user', content: WORDS }, ...more });
  expect(promptsIn('claude-code', [record])).toEqual([]);
});

test.each([{}, { origin: { kind: 'human' } }, { promptSource: 'typed' }, { promptSource: 'sdk' }])(
  'claude-code: a record with %j is a prompt',
  (more) => {
    expect(promptsIn('claude-code', [claudeRecord({ message: { role: 'user', content: WORDS }, ...more })])).toEqual([
      WORDS,
    ]);
  },
);

test("claude-code: in a sub-agent's own file, what another agent says is its task", () => {
  const content = `<teammate-message teammate_id="team-lead">\n${WORDS}\n</teammate-message>`;
  const record = claudeRecord({ isSidechain: true, agentId: 'a1', message: { role: 'user', content } });
  expect(promptsIn('claude-code', [record])).toEqual([WORDS]);
});

test('a text of many elements takes time linear in its length', () => {
  const many = (count: number): string => `${'<ide_a>x</ide_a>'.repeat(count)}${'<tick><tick '.repeat(count)}`;
  // A quadratic scan of these would take minutes.
  for (const text of [
    `${CONTINUED}\n`,
    `${CONTINUED}\n\nSummary:\n`,
    'The coordinator sent a message:\nx\n',
    `${CONTINUED}${'\n'.repeat(9)}`,
  ])
    expect(usersWords('claude-code', [`${text.repeat(50_000)}x`])).toMatch(/x$/);
  for (const text of [
    `${SELECTED}\n`,
    `${PATCHED}\n`,
    '# AGENTS.md instructions for   \n\n',
    '## My request for Codex:\n',
  ])
    expect(usersWords('codex', [`${text.repeat(50_000)}x`])).toMatch(/x$/);
  expect(usersWords('claude-code', [many(200_000)])).toMatch(/^<tick>/);
});
