/** The formats of a session's state and of a commit type (zod). */
import * as z from 'zod/mini';
import { mayBeNewer, type StoredCommitType } from '../commit-types/commit-type.ts';
import type { SessionState } from '../state.ts';

/** A point in time: Unix seconds. */
export const unixSeconds = z.int().check(z.nonnegative());

export const sessionStateSchema: z.ZodMiniType<SessionState> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('Running') }),
  z.object({ kind: z.literal('AwaitingUser'), question: z.string(), asked_at: unixSeconds }),
  z.object({ kind: z.literal('PendingComplete'), summary: z.string() }),
  z.object({ kind: z.literal('Interrupted'), user_message: z.string() }),
  z.object({ kind: z.literal('Complete') }),
  z.object({ kind: z.literal('Aborted'), reason: z.string() }),
]);

export const commitTypeSchema: z.ZodMiniType<StoredCommitType> = z.union([
  z.object({ kind: z.literal('Normal') }),
  z.object({ kind: z.literal('Abandoned') }),
  z.object({ kind: z.literal('StaleAutoCompact'), idle_duration_secs: z.int().check(z.nonnegative()) }),
  z.object({ kind: z.literal('InterruptedByNewTask'), new_task_summary: z.string() }),
  z.object({ kind: z.literal('InterruptedByNewTask'), new_task: z.string() }),
  // A newer ctx may have more of them; the type is ours, which names those that this one knows.
  z.looseObject({
    kind: z.string().check(z.refine(mayBeNewer)),
  }) as unknown as z.ZodMiniType<StoredCommitType>,
]);
