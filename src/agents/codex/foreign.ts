/** The texts that Codex and its editors write in the user's name, up to 0.171.0. */
import { type ForeignWords, framesOf, tagNamed } from '../shared/own-words.ts';

// Its fragments of context are in its public sources and in the program; the headings of editors and of the desktop app, in public rollouts.

const OF_THE_PROGRAM = [
  'environment_context|environments_instructions|extension_context|goal_context|codex_internal_context|startup_context',
  'user_instructions|permissions instructions|apps_instructions|catalog_apps_instructions',
  'skills_instructions|plugins_instructions|model_instructions|managed_developer_instructions|recommended_plugins',
  'collaboration_mode|multi_agent_mode|multi_agent_role|persistent_mode|personality_spec|model_switch',
  'turn_aborted|user_shell_command|subagent_notification|agent_message_board_notification',
  'user_verification_notice|image_resize_notice|current_time_reminder|context_window[a-z_]*|guardian_context_omission',
  'hook_prompt|hook_context|realtime_conversation|realtime_delegation|system[-_]reminder',
  // Names that others use as well.
  'skill(?=>\\s*<name>)|user_action(?=>\\s*<context>)',
].join('|');

/** Texts that the program writes whole, each in its complete form. */
const WHOLE = [
  'Another language model started to solve this problem and produced a summary of its thinking process\\.(?:\\s*$|[^\\n]*Here is the summary produced by the other language model\\b)',
  'The following is the Codex agent history (?:whose request action|added since)\\b[^\\n]*\\n\\s*>>> TRANSCRIPT\\b',
  // A heading whose text follows as one of its own.
  '# AGENTS\\.md instructions(?: for [^\\n]*)?\\s*$',
  // An editor's context without a request: open files, and a selection up to the end.
  '# Context from my IDE setup:[ \\t]*(?:\\s*\\n(?:## (?:Active file|Open tabs)\\b[^\\n]*|- [^\\n]*))*(?:\\s*\\n## Active selection\\b[\\s\\S]*|\\s*)$',
  // The program takes such an element for its own if it is all of the text.
  '<(external_[a-z_]+)>[\\s\\S]*</\\1>\\s*$',
];

const LINE_END = '(?=[ \\t]*(?:\\r?\\n|$))';

type Frame = readonly [beginnings: readonly string[], source: string];

/** Texts of the program in front of words, or alone, each to its own end. */
const FRAMES: readonly Frame[] = [
  [
    ['# AGENTS.md instructions'],
    `# AGENTS\\.md instructions(?: for [^\\n]*|[ \\t\\r]*)\\n\\s*<(INSTRUCTIONS|user_instructions)>[\\s\\S]*?</\\1>(?=[ \\t]*(?:\\r?\\n|<|$))`,
  ],
  [
    ['Warning: The max'],
    `Warning: The maximum number of unified exec processes you can keep open is \\d+ and you currently have \\d+ processes open\\.[^\\n]{0,40}or close them to prevent automatic pruning of old processes\\.?${LINE_END}`,
  ],
  [
    ['Warning: apply_patch'],
    `Warning: apply_patch was requested via [^\\s]{1,80}\\. Use the apply_patch tool instead of exec_command\\.${LINE_END}`,
  ],
  [
    ['Warning: Your account'],
    'Warning: Your account was flagged for potentially high-risk cyber activity and this request was routed to [^\\n]*',
  ],
];

/** The beginning of a request from an editor: headings with open files and selections, and the user's words after them. */
const HEADING = '#{1,3}[ \\t]+My request for (?:Codex|ChatGPT):[ \\t]*';
const OF_THE_EDITOR = '# Context from my IDE setup:[ \\t]*\\r?\\n';
const OF_THE_APP =
  '(?:# (?:Files|Applications) mentioned by the user:[ \\t]*\\r?\\n|This block is automatically supplied ambient UI state\\b)';
const EDITOR_BEGINS = ['# Context from my IDE setup:'];
const APP_BEGINS = ['# Files mentioned', '# Applications mentioned', 'This block is automatically'];
const REQUESTS: readonly Frame[] = [
  // The first heading is the editor's own, unless a selection in front of it may hold such a line.
  [EDITOR_BEGINS, `${OF_THE_EDITOR}(?:(?!## Active selection|${HEADING})[^\\n]*\\n)*${HEADING}`],
  // After a selection, the editor lists open files.
  [EDITOR_BEGINS, `${OF_THE_EDITOR}[\\s\\S]*?\\n## Open tabs:[ \\t]*\\r?\\n(?:- [^\\n]*\\n|[ \\t]*\\r?\\n)*${HEADING}`],
  [EDITOR_BEGINS, `${OF_THE_EDITOR}(?:[\\s\\S]*\\n)?${HEADING}(?:\\r?\\n|$)`],
  [EDITOR_BEGINS, `${OF_THE_EDITOR}(?:[\\s\\S]*?\\n)?${HEADING}`],
  [APP_BEGINS, `${OF_THE_APP}[\\s\\S]*?\\n(?=${HEADING}|${OF_THE_EDITOR})`],
  [['#'], HEADING],
];

export const CODEX_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_PROGRAM),
  lead: framesOf([...REQUESTS, ...FRAMES]),
  whole: new RegExp(`^(?:${WHOLE.join('|')})`),
};
