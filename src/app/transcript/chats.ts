/** Conversations that an agent keeps in a form that ctx does not read, beside its transcripts: those without one are named. */
import { join } from 'node:path';
import type { AgentTranscripts } from '../../agents/contract/transcript-places.ts';
import { CtxError } from '../../core/errors.ts';
import { exists, listFolder } from '../../platform/files.ts';
import type { FoundTranscripts } from './found.ts';
import { unread, unreadBy, unreadLink } from './unread.ts';

/** @param home the agent's home */
export function nameChats(
  found: FoundTranscripts,
  { agent, chats }: AgentTranscripts,
  home: string,
  projects: readonly string[],
): void {
  if (!chats) return;
  const root = join(home, chats.root);
  const hasTranscript = (id: string): boolean =>
    [...found.files, ...found.problems].some((each) => each.agent === agent && each.file.includes(id));
  const listed = (folder: string): string[] => {
    const link = unreadLink(agent, folder);
    if (link && !found.problems.some(({ file }) => file === link.file)) found.problems.push(link);
    return link ? [] : listFolder(folder);
  };
  try {
    for (const project of listed(root).filter((name) => chats.holds(name, projects))) {
      for (const id of listed(join(root, project))) {
        const file = join(root, project, id, chats.file);
        if (exists(file) && !hasTranscript(id))
          found.problems.push(unread(agent, file, 'unknown', 'is a conversation that has no transcript.'));
      }
    }
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(unreadBy(agent, root, error));
  }
}
