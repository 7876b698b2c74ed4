/** `ctx doctor`: examines everything that remembering depends on, and names the repair of each problem. It writes nothing. */
import { CtxError } from '../../core/errors.ts';
import { type OpenOptions, openRepository, type Repository } from '../../history/store/repository.ts';
import { systemClock } from '../../platform/clock.ts';
import { type CaptureStatus, captureStatus } from '../capture/capture.ts';
import type { HookOptions } from '../setup/hooks.ts';
import { lookAtCapture, lookAtRetention, lookAtTranscripts } from './capture.ts';
import { lookAtCatalog } from './catalog.ts';
import { type DoctorFinding, looked, problem } from './finding.ts';
import { lookAtEvents, lookAtHooks } from './hooks.ts';
import { lookAtProgram } from './program.ts';
import { lookAtGit, lookAtPermissions, lookAtStore } from './store.ts';

export interface DoctorOptions extends Pick<HookOptions, 'directory' | 'environment' | 'node' | 'program'> {
  store?: OpenOptions['store'];
  clock?: OpenOptions['clock'];
}

export interface DoctorResult {
  /** The store's folder; null if there is none. */
  store: string | null;
  findings: DoctorFinding[];
  /** True if nothing needs a repair. */
  healthy: boolean;
}

/** Examines everything; any error is a finding. */
export function examine(options: DoctorOptions): DoctorResult {
  const { repository, findings } = opened(options);
  if (repository) {
    findings.push(...looked('store', 'ctx fsck', () => lookAtStore(repository)));
    findings.push(...looked('catalog', 'ctx reindex', () => lookAtCatalog(repository)));
    findings.push(...looked('permissions', 'ctx fsck', () => lookAtPermissions(repository)));
  }
  findings.push(...lookAtGit(options.environment));
  findings.push(...lookAtProgram({ ...options, agents: [] }));
  findings.push(...looked('hooks', 'ctx hooks status', () => lookAtHooks({ ...options, agents: [] })));
  if (repository) findings.push(...looked('events', 'ctx fsck', () => lookAtEvents(repository, options)));
  findings.push(...looked('capture', 'ctx capture status', () => lookAtHistory(repository, options)));
  const healthy = findings.every(({ severity }) => severity !== 'problem');
  return { store: repository?.layout.root ?? null, findings, healthy };
}

function opened({ directory, store, clock }: DoctorOptions): {
  repository: Repository | null;
  findings: DoctorFinding[];
} {
  try {
    return { repository: openRepository({ directory, store, clock }), findings: [] };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { repository: null, findings: [problem('store', error.message, error.hint ?? 'ctx init')] };
  }
}

function* lookAtHistory(repository: Repository | null, options: DoctorOptions): Generator<DoctorFinding> {
  const { clock = systemClock() } = options;
  let status: CaptureStatus | null = null;
  if (repository) {
    status = captureStatus(repository, options);
    yield* lookAtCapture(status);
  } else yield* lookAtTranscripts(options);
  const missing = status?.conversations.filter(({ captured }) => captured === 'behind' || captured === 'never') ?? [];
  yield* lookAtRetention(missing, options, clock());
}
