/** The texts that opencode writes in the user's name beside its marked parts, up to 1.18.33 (its public sources). */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

export const OPENCODE_FOREIGN: ForeignWords = {
  element: tagNamed('system[-_]reminder|task-notification|task(?=\\s+id="[^"]*"\\s+state=")'),
  lead: /^(?:Called the \w+ tool with the following input: \{[^\n]*\}|Summarize the task tool output above and continue with your task\.|The following tool was executed by the user)[ \t]*(?=\n|$)/,
};
