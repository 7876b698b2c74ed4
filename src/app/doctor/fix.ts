/** `ctx doctor --fix`: repairs what can be repaired without losing anything and without a decision of the user's. */
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { openRepository, type Repository } from '../../history/store/repository.ts';
import { catchUp } from '../capture/catch-up.ts';
import { checkOrMend } from '../fsck.ts';
import { finishInterrupted } from '../session/finish.ts';
import { type HookOptions, installAgentHooks, statusOfAgentHooks } from '../setup/hooks.ts';
import type { DoctorOptions, DoctorResult } from './doctor.ts';

/** States of hooks that another install repairs: the file is the agent's, and nobody else has changed what ctx wrote. */
const OWN_STATES = ['outdated', 'partly'];

/**
 * Repairs the store, brings hooks up to date that are installed, and takes in what was missed.
 * @returns what was done, a sentence each
 * @throws {CtxError} io, busy
 */
export async function fixFindings(options: DoctorOptions, { findings }: DoctorResult): Promise<string[]> {
  const fixed: string[] = [];
  const has = (kind: string): boolean => findings.some((one) => one.kind === kind && one.severity === 'problem');
  const repository = opened(options);
  if (repository && (has('store') || has('permissions'))) {
    const { repaired } = await checkOrMend(repository, { repair: true });
    fixed.push(...repaired);
  }
  if (has('hooks')) fixed.push(...(await freshHooks({ ...options, agents: [] })));
  if (repository && has('capture')) fixed.push(...caughtUp(repository, options));
  return fixed;
}

function opened({ directory, store, clock }: DoctorOptions): Repository | null {
  try {
    const repository = openRepository({ directory, store, clock, toCheck: true });
    finishInterrupted(repository);
    return repository;
  } catch (error) {
    // A finding that cannot be written is no finding of the check: it would look as if nothing had been tried.
    if (error instanceof CtxError && error.code !== 'io') return null;
    throw error;
  }
}

async function freshHooks(options: HookOptions): Promise<string[]> {
  const fixed: string[] = [];
  for (const { agent, title, scope, file, state } of statusOfAgentHooks(options)) {
    if (!OWN_STATES.includes(state)) continue;
    await installAgentHooks({ ...options, agents: [agent], scope });
    fixed.push(`Brought the hooks of ${title} up to date in ${file}.`);
  }
  return fixed;
}

function caughtUp(repository: Repository, options: DoctorOptions): string[] {
  const { turns_added, conversations } = catchUp(repository, { environment: options.environment, all: true });
  if (conversations.length === 0) return [];
  return [`Took in ${plural(turns_added, 'turn')} of ${plural(conversations.length, 'conversation')}.`];
}
