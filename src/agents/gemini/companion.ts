/** What Gemini CLI puts into its folder of a project: `.project_root`, the path of the project. */
import type { Companion } from '../agent.ts';

export const geminiCompanion: Companion = {
  // Chats lie in a folder of their own in that of the project, those of a sub-agent one further down.
  placesOf: () => ['../.project_root', '../../.project_root'],
  about: (text) => {
    const cwd = text.trim();
    return cwd === '' ? {} : { cwd };
  },
};
