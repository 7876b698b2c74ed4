/** What Copilot writes in the user's name: its command line up to 1.0.102, and its chat in an editor, by public logs. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

const OF_THE_PROGRAM = [
  'current_datetime|system[-_]reminder|system_notification|reminder|reminderInstructions|tagged_files|repository_context',
  'attachments|editorContext|environment_info|workspace_info|conversation-summary|sql_tables|todo_status|toolReferences',
  // Names that others have as well.
  'context(?=>\\s*(?:The current date|My current OS))|skill-context(?=\\s+name=")',
].join('|');

export const COPILOT_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_PROGRAM),
  wrapper: tagNamed('userRequest|user_request'),
};
