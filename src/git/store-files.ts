/** The context of every write to a store: its paths, clock, ids, and longest wait. */
import type { Clock } from '../platform/clock.ts';
import type { Durability } from '../platform/files.ts';
import type { IdSource } from '../platform/ids.ts';
import type { Layout } from './layout.ts';

export interface StoreFiles {
  layout: Layout;
  clock: Clock;
  ids: IdSource;
  durability: Durability;
  /** Longest wait for LOCK, in milliseconds. */
  lockWait: number;
}
