/** Keeps a snapshot of the work tree: in the record of its session, and among the moments of all sessions. */
import type { KeptSnapshot } from '../../core/conversation/conversation.ts';
import { wordsPrint } from '../../core/conversation/snapshots.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Mark } from '../../core/world/changes.ts';
import type { Repository } from '../../history/store/repository.ts';
import { redactionFor } from '../redaction/redact.ts';
import { addRecord } from '../session/observe.ts';
import { askHost } from './host.ts';
import { appendMark } from './marks.ts';
import { openSnapshots } from './private-git.ts';
import { takeSnapshot } from './take.ts';

/** The moment of a snapshot. */
export interface Moment {
  session: string;
  point: KeptSnapshot['point'];
  /** The message of the user, by its id, or by its words if the agent writes it later. */
  message_id?: string | undefined;
  words?: string | undefined;
}

/**
 * Keeps a snapshot if the settings ask for that: of ctx's own, or one of the host.
 * @returns its id; null if none is to be kept
 * @throws {CtxError} not_found, if Git is not installed; invalid_settings, if the program of the host may not be run; io
 */
export function keepSnapshot(repository: Repository, moment: Moment): string | null {
  const { snapshots: setting } = repository.settings;
  if (setting === false) return null;
  const { session, point } = moment;
  if (setting !== true) {
    if (point !== 'message') return null;
    const { message_id = null, words = '' } = moment;
    const asked = { hook: 'message.user', session_id: session, message_id, text: redactionFor(repository).text(words) };
    const snapshot_id = askHost(repository, asked)['snapshot_id'];
    if (typeof snapshot_id !== 'string' || snapshot_id === '') return null;
    recordSnapshot(repository, moment, { snapshot_id, by: 'host' });
    return snapshot_id;
  }
  const snapshots = openSnapshots(repository);
  const tree = takeSnapshot(snapshots);
  const id = recordSnapshot(repository, moment, { snapshot_id: tree });
  appendMark(snapshots, { id, at: repository.clock(), session, point, tree } satisfies Mark);
  return tree;
}

/** Records a snapshot that was taken, or one of which a message itself says that its host has taken it. @returns the id of the record */
function recordSnapshot(
  repository: Repository,
  { session, point, message_id, words }: Moment,
  taken: { snapshot_id: string; by?: 'host' },
): string {
  const print = words === undefined ? undefined : wordsPrint(redactionFor(repository).text(words));
  const body: AnyBody = {
    kind: 'snapshot',
    point,
    ...taken,
    ...(message_id === undefined ? {} : { message_id }),
    ...(print === undefined ? {} : { words: print }),
  };
  return addRecord(repository, session, () => ({ body }));
}
