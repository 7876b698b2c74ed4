/** Keeps a snapshot of the work tree at a prompt and at the end of a turn, if the settings ask for that. */
import { CtxError } from '../../../core/errors.ts';
import { keepFiles } from '../../conversation/snapshots.ts';
import { type Hook, lastSessionOf } from '../conversation.ts';

/** Keeps the files as they are; a snapshot that fails is noted, and does not stop the agent. */
export function keepFilesAt({ repository, event, conversation, note }: Hook): void {
  const { happened } = event;
  if (happened.what !== 'prompt' && happened.what !== 'turn_end') return;
  const session = lastSessionOf(repository, conversation);
  if (session === null) return;
  const moment =
    happened.what === 'prompt'
      ? { session, point: 'message' as const, words: happened.text }
      : { session, point: 'turn_end' as const };
  for (const notice of keepFiles(repository, moment).notices) note(new CtxError('io', notice));
}
