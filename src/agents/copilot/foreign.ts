/** The texts that Copilot writes in the user's name: its command line up to 1.0.102, and its chat in an editor, by public logs. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

const OF_THE_PROGRAM = [
  'system[-_]reminder|system_notification|reminderInstructions|tagged_files|repository_context',
  'editorContext|conversation-summary|sql_tables|todo_status|toolReferences',
  // Names that others use as well, with the known beginning of the content.
  'reminder(?=>\\s*(?:<(?:sql_tables|todo_status)\\b|You are an agent\\b|When using the \\S+ tool\\b|IMPORTANT: ))',
  'attachments(?=>\\s*<attachment\\s+(?:id|filePath)=")|current_datetime(?=>\\s*\\d{4}-\\d\\d-\\d\\d)',
  'environment_info(?=>\\s*The user\\b)|workspace_info(?=>\\s*(?:I am working|There is no workspace))',
  'context(?=>\\s*(?:The current date|My current OS))|skill-context(?=\\s+name=")',
].join('|');

export const COPILOT_FOREIGN: ForeignWords = {
  element: tagNamed(OF_THE_PROGRAM),
  wrapper: tagNamed('userRequest|user_request'),
};
