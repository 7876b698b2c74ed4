/** What everything that writes into a store needs: its paths, its ids, and how long it waits. */
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
