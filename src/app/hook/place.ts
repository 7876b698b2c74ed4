/** Where an event of an agent's belongs. */
import { resolve } from 'node:path';
import type { HookEvent } from '../../core/session/hook-event.ts';
import { findStore, type OpenOptions } from '../../history/store/repository.ts';
import { isAtHomeUntold, isRemembered } from '../ingest/hook-session.ts';
import type { Variables } from './home.ts';

/** A folder, and the store that it lies at; null where there is none yet. */
export interface Place {
  directory: string;
  store: string | null;
}

/** Where an event belongs. An agent may go to another project in the middle of a conversation, which stays where it is. */
export async function placeOf(
  agent: string,
  event: HookEvent | null,
  folder: string,
  options: OpenOptions & { environment?: Variables },
): Promise<Place> {
  const store = options.store ?? findStore(folder);
  const here = { directory: folder, store };
  if (options.store !== undefined || !event) return here;
  const conversation = { agent, agent_session: event.agent_session };
  const isKnownHere = store !== null && isRemembered(store, conversation);
  // A tool goes where the one before it has gone.
  const mayGoHome = event.happened.what !== 'tool' && store !== null && isAtHomeUntold(store, conversation);
  if (isKnownHere && !mayGoHome) return here;
  const { homeOf, wentHome } = await import('./home.ts');
  const transcript = event.transcript ? resolve(folder, event.transcript) : null;
  const home = homeOf(agent, { ...event, transcript }, store, options);
  if (mayGoHome) wentHome(store, conversation, transcript, home !== null);
  return home ?? here;
}
