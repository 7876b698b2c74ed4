/** `ctx doctor`: examines everything that remembering depends on, and names the repair of each problem. It writes nothing. */

import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { examineCatalog } from '../../catalog/catalog.ts';
import { CtxError } from '../../core/errors.ts';
import { ageInWords } from '../../core/listing/age.ts';
import { bytesInWords, plural, quoted } from '../../core/text.ts';
import { type OpenOptions, openRepository, type Repository } from '../../history/store/repository.ts';
import { systemClock } from '../../platform/clock.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { type CaptureStatus, captureStatus } from '../capture/capture.ts';
import { isFile } from '../setup/hook-places.ts';
import type { HookOptions } from '../setup/hooks.ts';
import { lookAtCapture, lookAtRetention, lookAtTranscripts } from './capture.ts';
import { type DoctorFinding, looked, note, ok, problem } from './finding.ts';
import { lookAtEvents, lookAtHooks } from './hooks.ts';
import { lookAtGit, lookAtPermissions, lookAtStore } from './store.ts';

/** A script that starts ctx names it among so many bytes. */
const SCRIPT = 64 * 1024;

/** Checks if a file is this program, another installation of it, or a script that starts one. */
function isOwn(path: string): boolean {
  try {
    if (basename(realpathSync(path)) === 'ctx.cjs') return true;
    return readLinkedIfThere(path)?.subarray(0, SCRIPT).includes('ctx.cjs') === true;
  } catch {
    // A file that cannot be read is no script of ours.
    return false;
  }
}

/** Yields a note if the first `ctx` on PATH is another program. Hooks call ctx by its path. */
function* lookAtProgram({ environment, program }: HookOptions): Generator<DoctorFinding> {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const first = folders.map((folder) => join(folder, 'ctx')).find(isFile);
  if (first === undefined || isOwn(first)) return;
  const hint = `Call this one by its path, ${quoted(program)}, or put its folder first on PATH. Hooks do not depend on it.`;
  yield note('program', `${first} is another program called ctx, and comes first on PATH.`, hint);
}

function* lookAtCatalog(repository: Repository): Generator<DoctorFinding> {
  const { size, at, behind, damage } = examineCatalog(repository);
  if (damage !== null) {
    yield note('catalog', `It is damaged, and the next search rebuilds it: ${damage}.`, 'ctx reindex');
    return;
  }
  if (size === null) {
    yield ok('catalog', 'There is none yet: the first search makes it.');
    return;
  }
  const age = ageInWords(at, repository.clock());
  const since = behind === 0 ? '' : `; ${plural(behind, 'session')} moved since, which the next search takes in`;
  yield ok('catalog', `${bytesInWords(size.bytes)} of ${plural(size.sessions, 'session')}, written ${age}${since}`);
}

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
