/** What Codex and its editors write in the user's name, up to 0.171.0. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

// Its fragments of context stand in its public sources and in the program; the headings of editors and of the desktop app, in public rollouts.

const OF_THE_PROGRAM = [
  'environment_context|environments_instructions|extension_context|goal_context|codex_internal_context|startup_context',
  'user_instructions|INSTRUCTIONS|permissions instructions|apps_instructions|catalog_apps_instructions',
  'skills_instructions|plugins_instructions|model_instructions|managed_developer_instructions|recommended_plugins',
  'collaboration_mode|multi_agent_mode|multi_agent_role|persistent_mode|personality_spec|model_switch',
  'turn_aborted|user_action|user_shell_command|subagent_notification|agent_message_board_notification',
  'user_verification_notice|image_resize_notice|current_time_reminder|context_window[a-z_]*|guardian_context_omission',
  'hook_prompt|hook_context|realtime_conversation|realtime_delegation|external_[a-z_]+|system[-_]reminder',
  // Names that others have as well.
  'skill(?=>\\s*<name>)',
].join('|');

/** Beginnings of texts that the program writes whole. */
const FRAMES = [
  'Another language model started to solve this problem\\b',
  'The following is the Codex agent history (?:whose request action|added since)\\b',
  '# AGENTS\\.md instructions(?: for [^\\n]*)?(?:\\n|$)',
  'Warning: (?:The maximum number of unified exec processes|apply_patch was requested via|Your account was flagged for)\\b',
];

/** The user's words in what an editor sends: headings with what is open and selected, and behind them what was asked. */
const REQUEST = '#{1,3}[ \\t]+My request for [A-Z][\\w ]{0,30}:[ \\t]*';
const CONTEXT = '(?:# [^\\n]{1,100}:[ \\t]*\\r?\\n|This block is automatically supplied ambient UI state\\b)';

export const CODEX_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_PROGRAM),
  lead: new RegExp(
    `^(?:${CONTEXT}[\\s\\S]*?\\n${REQUEST}|${REQUEST}|# AGENTS\\.md instructions[^\\n]*\\n(?=\\s*<INSTRUCTIONS>))`,
  ),
  whole: new RegExp(`^(?:${FRAMES.join('|')})`),
};
