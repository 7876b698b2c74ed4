/** What stands around a chat of Gemini CLI: `.project_root`, the path of its project, and the folder that a sub-agent's chat is in. */
import type { About, Companion } from '../contract/agent.ts';

export const geminiCompanion: Companion = {
  // Chats lie in a folder of their own in that of the project, those of a sub-agent one further down.
  placesOf: () => ['../.project_root', '../../.project_root'],
  about: (text) => {
    const cwd = text.trim();
    return cwd === '' ? {} : { cwd };
  },
};

/** A sub-agent's chat lies in a folder that has the whole id of the session that started it; the user's own begin with `session-`. */
const BELOW_PARENT = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(?!session-)[^/]+\.jsonl?$/;

/** The session that started the one of a chat, by its path. */
export function parentAbove(path: string): About {
  const [, parent] = BELOW_PARENT.exec(path) ?? [];
  return parent === undefined ? {} : { parent_agent_session_id: parent };
}
