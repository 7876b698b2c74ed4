/** The texts that Cursor writes in the user's name, up to 3.x: the user's words are in `<user_query>`, and editor state around it. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

/** Elements of Cursor without a `<user_query>`: names that only Cursor uses, or others with the known beginning of the content. */
const OF_THE_PROGRAM = [
  'system[-_]reminder|system_notification|open_and_recently_viewed_files|manually_attached_skills',
  '(?:always_applied|agent_requestable)_workspace_rules',
  'attached_files(?=>\\s*<(?:code_selection|file_contents|current_file|folder|terminal_selection)\\b)',
  'additional_data(?=>\\s*(?:<(?:current_file|attached_files|open_and_recently|linter_errors|edit_history)|Below are some))',
  'user_info(?=>\\s*OS Version:)|git_status(?=>\\s*This is the git status)',
].join('|');

export const CURSOR_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_PROGRAM),
  wrapper: tagNamed('user_query'),
  lead: /^(?:\[Image\]\s*)+(?=<)/,
};
