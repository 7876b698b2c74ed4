/** What Cursor writes in the user's name, up to 3.x: their words stand in `<user_query>`, and around it what is open in the editor. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

const OF_THE_EDITOR = [
  'attached_files|additional_data|open_and_recently_viewed_files|external_links|code_selection|image_files|current_file',
  'user_info|git_status|rules|user_rules|always_applied_workspace_rules|agent_requestable_workspace_rules|cursor_commands',
  'agent_transcripts|agent_skills|manually_attached_skills|mcp_[a-z_]+|project_layout|linter_errors|timestamp|todo_list',
  'system[-_]reminder|system_notification|terminal_[a-z_]+|edit_history|recent_changes|browser_[a-z_]+|open_files',
].join('|');

export const CURSOR_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_EDITOR),
  wrapper: tagNamed('user_query'),
  lead: /^(?:\[Image\]\s*)+(?=<)/,
};
