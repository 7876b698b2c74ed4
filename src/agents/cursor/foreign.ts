/** What Cursor writes in the user's name, up to 3.x: their words stand in `<user_query>`, and around it what is open in the editor. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

/** What Cursor writes where there is no `<user_query>`: names of its own alone, or with the known beginning of what is in them. */
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
