/** Errors of a command that the disk or a held lock has interrupted: they say what the command has done already. */
import { CtxError, withoutAgain } from '../core/errors.ts';
import { plural } from '../core/text.ts';

/** Returns whether an error is about the disk or about a held lock. */
export const isObstruction = (error: unknown): error is CtxError =>
  error instanceof CtxError && (error.code === 'io' || error.code === 'busy');

/** Makes such an error. A user who reads only about the disk would run the command again and do everything twice. */
const interrupted = (cause: CtxError, what: string, hint: string, data: Record<string, unknown> = {}): CtxError =>
  new CtxError(cause.code, `${cause.message.replace(/\.$/, '')}. ${what}`, {
    hint: [withoutAgain(cause.hint), hint].filter(Boolean).join(' '),
    data: { ...cause.data, ...data },
    cause,
  });

/** Everything is done, or everything that matters. */
export const errorAfterAll = (command: string, cause: CtxError): CtxError =>
  interrupted(cause, `By then "${command}" was done.`, 'Do not run it again: it would be done twice. See: ctx status');

/** Some of it is done, and it is unknown what is not. */
export const errorHalfway = (command: string, cause: CtxError): CtxError =>
  interrupted(
    cause,
    `By then "${command}" had done a part of its work, or all of it.`,
    'Once that is repaired, look before you run it again: ctx status',
  );

/** The operation log has it as begun: the next command that changes something finishes it. */
export const errorAfterBeginning = (command: string, id: string, cause: CtxError): CtxError =>
  interrupted(
    cause,
    `By then "${command}" had begun, and the next command that changes something finishes it.`,
    'Do not run it again: it would be done twice. Once that is repaired, finish it with: ctx fsck --repair',
    { begun: id },
  );

/** Records were stored before the error, or despite it; those that the error itself names are included. */
export function errorAfterRecords(session_id: string, before: readonly string[], error: CtxError): CtxError {
  const own = recordsOf(error);
  const records = [...before, ...own];
  if (records.length === 0) return error;
  const [were, them] = records.length === 1 ? ['was', 'it'] : ['were', 'them'];
  const cause = own.length > 0 && error.cause instanceof CtxError ? error.cause : error;
  const what = `By then ${plural(records.length, 'record')} ${were} kept: do not observe ${them} again.`;
  return interrupted(cause, what, 'See what waits: ctx status', { session_id, records });
}

/** Returns the ids of the stored records that an error names. */
export const recordsOf = (error: CtxError): string[] => (error.data?.records as string[] | undefined) ?? [];

/** Runs work and then releases a lock. An error of the work takes precedence over one of the release. */
export function thenRelease<Made>(command: string, release: () => void, work: () => Made): Made {
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
    throw isObstruction(error) ? errorAfterAll(command, error) : error;
  }
  return made;
}
