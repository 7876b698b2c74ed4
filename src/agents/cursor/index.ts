/** Cursor: its transcripts, its hooks, and the user's words. */
import type { Agent } from '../contract/agent.ts';
import { hasRecord, readLine } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { CURSOR_FOREIGN } from './foreign.ts';
import { cursorFormat, isOurs } from './format.ts';
import { readHook, replyOf } from './hook.ts';
import { cursorHooks } from './hooks.ts';
import { cursorTranscripts } from './transcripts.ts';

export const cursor: Agent = {
  name: 'cursor',
  hasNoResults: true,
  hooks: {
    signs: ['conversation_id', 'workspace_roots'],
    read: (payload) => readHook(payload),
    replyOf: (answer) => replyOf(answer),
    settings: () => cursorHooks,
  },
  places: () => cursorTranscripts,
  usersWords: (texts) => ownWordsIn(texts, CURSOR_FOREIGN),
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, (line) => readLine(line, cursorFormat.shape), isOurs) ||
    /^\ufeff?\s*\{"role":\s*"(user|assistant)",\s*"message":\s*\{"content":\s*\[\s*\{"type":/.test(beginning),
  // Only the path of a sub-agent's transcript, `<session>/subagents/…`, names its caller, and only a path names the folder of a session.
  aboutPath: (path) => {
    const [, parent] = /\/([^/]+)\/subagents\/[^/]+$/.exec(path) ?? [];
    const [, folder] = /\/\.cursor\/projects\/([^/]+)\/agent-transcripts\//.exec(path) ?? [];
    return {
      ...(parent === undefined ? {} : { parent_agent_session_id: parent }),
      ...(folder === undefined ? {} : { cwd_name: folder }),
    };
  },
  isOurs: (record) => isOurs(record),
  reader: (resume) => new PlainReader(cursorFormat, resume),
};
