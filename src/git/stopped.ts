/** A command that the disk, or a lock that somebody holds, stops on its way: what it has done by then is told with that. */
import { CtxError, withoutAgain } from '../core/errors.ts';
import { plural } from '../core/text.ts';

/** Whether the disk, or a lock that somebody holds, was in the way. */
export const isObstruction = (error: unknown): error is CtxError =>
  error instanceof CtxError && (error.code === 'io' || error.code === 'busy');

/** Whoever is told of the disk alone runs the command again, which would do it twice. */
const told = (cause: CtxError, what: string, hint: string, data: Record<string, unknown> = {}): CtxError =>
  new CtxError(cause.code, `${cause.message.replace(/\.$/, '')}. ${what}`, {
    hint: [withoutAgain(cause.hint), hint].filter(Boolean).join(' '),
    data: { ...cause.data, ...data },
    cause,
  });

/** All of it is done, or all that matters. */
export const afterAll = (command: string, cause: CtxError): CtxError =>
  told(cause, `By then "${command}" was done.`, 'Do not run it again: it would be done twice. See: ctx stage status');

/** Some of it is done, and what is not cannot be told. */
export const halfway = (command: string, cause: CtxError): CtxError =>
  told(
    cause,
    `By then "${command}" had done a part of its work, or all of it.`,
    'Once that is repaired, look before you run it again: ctx stage status',
  );

/** It stands in the operation log as begun: the next command that changes something finishes it. */
export const afterBeginning = (command: string, id: string, cause: CtxError): CtxError =>
  told(
    cause,
    `By then "${command}" had begun, and the next command that changes something finishes it.`,
    'Do not run it again: it would be done twice. Once that is repaired, finish it with: ctx fsck --repair',
    { begun: id },
  );

/** Records that were kept before an error, or although it came: what it tells of them itself is among them. */
export function afterKeeping(session_id: string, before: readonly string[], error: CtxError): CtxError {
  const own = keptBefore(error);
  const records = [...before, ...own];
  if (records.length === 0) return error;
  const [were, them] = records.length === 1 ? ['was', 'it'] : ['were', 'them'];
  const cause = own.length > 0 && error.cause instanceof CtxError ? error.cause : error;
  const what = `By then ${plural(records.length, 'record')} ${were} kept: do not observe ${them} again.`;
  return told(cause, what, 'See what waits: ctx stage status', { session_id, records });
}

/** Ids of the records that an error tells to be kept. */
export const keptBefore = (error: CtxError): string[] => (error.data?.records as string[] | undefined) ?? [];

/** Works with something in hand that is released in the end. What the work says comes before what the release does. */
export function releasing<Made>(command: string, release: () => void, work: () => Made): Made {
  let made: Made;
  try {
    made = work();
  } catch (error) {
    try {
      release();
    } catch {
      // A lock that stays is broken by the next command, once this process is gone.
    }
    throw error;
  }
  try {
    release();
  } catch (error) {
    throw isObstruction(error) ? afterAll(command, error) : error;
  }
  return made;
}
