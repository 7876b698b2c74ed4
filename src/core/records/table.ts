/** The table of record kinds: everything that differs from kind to kind is asked of it. */
import type { Infer } from '../schema.ts';
import { about } from './about.ts';
import { choice } from './choice.ts';
import { command } from './command.ts';
import { deleted } from './delete.ts';
import { forgotten } from './forgotten.ts';
import { kindOf, type RecordKind, type StoredRecord } from './kind.ts';
import { message } from './message.ts';
import { note } from './note.ts';
import { overlay } from './overlay.ts';
import { part } from './part.ts';
import { permission } from './permission.ts';
import { plan } from './plan.ts';
import { raw } from './raw.ts';
import { read } from './read.ts';
import { relation } from './relation.ts';
import { rule } from './rule.ts';
import { snapshot } from './snapshot.ts';
import { status } from './status.ts';
import { task } from './task.ts';
import { title } from './title.ts';
import { transition } from './transition.ts';
import { usage } from './usage.ts';
import { lineOfAny } from './words.ts';
import { write } from './write.ts';

/** Every kind, by its name. */
export const RECORD_KINDS = {
  task,
  note,
  plan,
  read,
  write,
  delete: deleted,
  command,
  relation,
  message,
  part,
  overlay,
  transition,
  usage,
  permission,
  raw,
  choice,
  forgotten,
  title,
  status,
  about,
  rule,
  snapshot,
} satisfies Record<string, RecordKind>;

type Kinds = typeof RECORD_KINDS;

/** The fields of each known kind, without the envelope. */
export type Bodies = { [Kind in keyof Kinds]: Infer<Kinds[Kind]['schema']> };

/** Returns the kind of a name; undefined if this ctx does not know it. */
export const kindNamed = (name: string): RecordKind | undefined =>
  Object.hasOwn(RECORD_KINDS, name) ? RECORD_KINDS[name as keyof Kinds] : undefined;

/** Checks if a record says what was done to a file. */
export const isOfFile = ({ kind }: { kind: string }): boolean => kindNamed(kind)?.isOfFile === true;

/** Checks if a record, or the record that a tombstone replaces, shows that the user or the agent did something. */
export const isActivity = (record: StoredRecord): boolean => kindNamed(kindOf(record))?.isActivity !== false;

/** Words a record in one line, for people. */
export const recordLine = (record: StoredRecord): string => kindNamed(record.kind)?.line(record) ?? lineOfAny(record);
