/** The texts that Gemini CLI and its hooks write in the user's name, up to 0.61.0 (its own program; older forms from real chats since 0.1). */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

/** The text of an editor's companion about the files and the selection in the editor. */
const EDITOR =
  "Here is (?:the user's editor context|a summary of changes in the user's editor context)[^\\n]*\\n```json\\n[\\s\\S]*?\\n```";

/** The first message of older releases: lines about the machine and, in paragraphs with known beginnings, the tree of the folder. */
const SETTING_UP =
  'This is the Gemini CLI\\. We are setting up the context for our chat\\.(?=\\n[ \\t]*Today)(?:\\n[ \\t]*\\S[^\\n]*)*' +
  "(?:\\n\\s*\\n[ \\t]*(?:Showing up to|Here is the folder|I'm currently|My operating|/|[A-Z]:\\\\|[├└│]|Reminder: )[^\\n]*(?:\\n[ \\t]*\\S[^\\n]*)*)*";

export const GEMINI_FOREIGN: ForeignWords = {
  element: tagNamed('hook_context|session_context|loaded_context|state_snapshot|system[-_]reminder|background_output'),
  lead: new RegExp(`^(?:${EDITOR}|${SETTING_UP})`),
  whole: /^System: Please continue\.\s*$/,
  // The files that the user named with `@` in their words.
  tail: /\n--- Content from referenced files ---\n[\s\S]*?(?:\n--- End of content ---|$)/,
};
