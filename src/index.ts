/** The library of ctx: what the command line itself uses, for authors of agents and tools. */
// Functions that work on a store take the repository that `openRepository` or `initRepository` gave. Each returns a plain value, or an
// iterable of them, and prints nothing; all but `diffRevisions`, `packFor`, `whyPath`, `blamePath`, what estimates tokens and what works on runs is
// synchronous. What cannot be done is a `CtxError` with a code, a message and a hint.
import type { Repository } from './app/open.ts';
import { activeSession as findActive } from './app/session/active.ts';
import { generateProgressSummary as summarise } from './app/session/recover.ts';
import { type ActiveStatus, describe } from './app/session/status.ts';
import { nameSourcesOfUncaught } from './app/uncaught.ts';

export {
  type AppendOptions,
  type AppendResult,
  appendMessage,
  type UpsertOptions,
  type UpsertResult,
  upsertPart,
} from './app/conversation/append.ts';
export { type BranchOptions, type BranchResult, branchSession, keepBranch } from './app/conversation/branch.ts';
export {
  type CompactContextOptions,
  type CompactContextResult,
  type CompactionPart,
  compactContext,
  type UncompactResult,
  uncompactContext,
} from './app/conversation/compact.ts';
export { type ContextWindow, contextWindow } from './app/conversation/context.ts';
export { type SwitchModelResult, switchModel } from './app/conversation/model.ts';
export { type BuiltPrompt, buildPrompt, type PromptOptions } from './app/conversation/prompt.ts';
export {
  type PruneOptions,
  type PruneResult,
  pruneOutputs,
  type RestoreResult,
  restoreOutputs,
} from './app/conversation/prune.ts';
export { type ConversationOptions, readConversation } from './app/conversation/read.ts';
export { type NamedLine, type RewindOptions, type RewindResult, rewind, unrewind } from './app/conversation/rewind.ts';
export { type DiffResult, diffRevisions, type FileDiff } from './app/diff.ts';
export { type DiskUsage, type DiskUsageKey, type DiskUsageRow, diskUsage } from './app/du.ts';
export { type ExportOptions, type ExportResult, exportBundle } from './app/exchange/export.ts';
export { type ImportOptions, type ImportResult, importBundle } from './app/exchange/import.ts';
export type { ImportedSession } from './app/exchange/place.ts';
export { exportSession, importSession } from './app/exchange/session.ts';
export { type Pack, type PackItem, type PackOptions, packFor } from './app/find/pack.ts';
export {
  parseQuery,
  type SearchHit,
  type SearchResult,
  type SearchSettings,
  type SearchSnippet,
  searchSessions,
} from './app/find/search.ts';
export { type UsageOptions, type UsageResult, type UsageRow, usageOf } from './app/find/usage.ts';
export { type BlameResult, blamePath, type WhyResult, whyPath } from './app/find/why.ts';
export { type ForgetOptions, type ForgetResult, type ForgetTarget, forget } from './app/forget/forget.ts';
export { type InitOptions, type InitResult, initRepository } from './app/init.ts';
export { type IngestOptions, type IngestResult, ingestTranscript } from './app/intake/ingest.ts';
export {
  type IngestedFile,
  type IngestManyOptions,
  type IngestManyResult,
  ingestMany,
} from './app/intake/many.ts';
export { handleChoice, handleUserMessage } from './app/intake/message/message.ts';
export type { MessageOptions } from './app/intake/message/options.ts';
export type { MessageResult } from './app/intake/message/result.ts';
export { type LogEntry, type LogOptions, readLog } from './app/log.ts';
export { type MirrorOptions, type MirrorResult, mirrorSessions } from './app/mirror/mirror.ts';
export {
  DEFAULT_SETTINGS,
  findStore,
  type OpenOptions,
  openRepository,
  type Repository,
  type Settings,
} from './app/open.ts';
export { type CheckOptions, type CheckResult, checkPermission } from './app/permission/check.ts';
export {
  listRules,
  type ResetResult,
  type RuleList,
  type RuleResult,
  type RuleSources,
  resetRules,
  setRule,
} from './app/permission/rules.ts';
export { type Found, findResumable, type SearchSaid } from './app/resume/find.ts';
export { type ResumableRow, type Resumables, resumableSessions } from './app/resume/resumable.ts';
export { type ResumeOptions, type ResumeResult, resumeSession } from './app/resume/resume.ts';
export { type StopResult, stopSession } from './app/resume/stop.ts';
export { type AbortResult, abortRun } from './app/run/abort.ts';
export { type Recording, type RecordOptions, type RecordResult, record } from './app/run/record.ts';
export { type ReplayOptions, replayRun } from './app/run/replay.ts';
export {
  type RunCursor,
  type RunStatus,
  runCursor,
  statusOfRun,
  statusOfRuns,
  watchRuns,
} from './app/run/status.ts';
export { type BatchResult, observeBatch } from './app/session/batch.ts';
export { type CleanupOptions, type CleanupResult, cleanupStaleSessions } from './app/session/cleanup.ts';
export { type CompactOptions, type CompactResult, compactSession } from './app/session/compact.ts';
export { type FlushOptions, flushStep } from './app/session/flush.ts';
export type { FlushResult } from './app/session/flush-waiting.ts';
export {
  type DamagedPointer,
  type ListedSession,
  listSessions,
  type SwitchResult,
  switchSession,
} from './app/session/list.ts';
export { type MoveOptions, type MoveResult, setState } from './app/session/move.ts';
export {
  type Observed,
  type ObservedCommand,
  observeCommand,
  observeFileRead,
  observeFileWrite,
  observeNote,
  observePlan,
  observeRelations,
  type Relation,
} from './app/session/observe.ts';
export { type RecoverResult, recoverSession } from './app/session/recover.ts';
export { type RenameResult, renameSession } from './app/session/rename.ts';
export { type StartOptions, type StartResult, startSession } from './app/session/start.ts';
export { type ActiveStatus, type Status, sessionStatus } from './app/session/status.ts';
export { type ListOptions, listAllSessions, type SessionList } from './app/sessions.ts';
export { type Shown, type ShownStep, showRevision } from './app/show.ts';
export type { FileLeft } from './app/world/apply.ts';
export type { FileChange, WorldResult } from './app/world/world.ts';
export type { Choice, ChoiceKind, Question } from './core/choice.ts';
export type { CommitType } from './core/commit-types/table.ts';
export type { View, ViewedMessage } from './core/conversation/view.ts';
export { CtxError, type ErrorCode } from './core/errors.ts';
export type { ExportedSession } from './core/exchange/exported.ts';
export type { SessionRow } from './core/listing/row.ts';
export type { StoredRecord } from './core/records/record.ts';
export type { Chunk } from './core/run/chunk.ts';
export { RUN_MOVES, type RunEvent, type RunState } from './core/run/states.ts';
export type { Counts, Session, Source, TokenUsage } from './core/session/session.ts';
export { type Staleness, staleness } from './core/stale.ts';
export { allowedVerbs, MOVES, type NoteRole, type SessionState, type StateKind, type Verb } from './core/state.ts';
export { type Classification, classifyMessage } from './language/index.ts';

/** Returns the active session with the records that wait for a flush, or null if no session is active. Changes nothing. */
export function activeSession(repository: Repository): ActiveStatus | null {
  const active = findActive(repository);
  return active ? describe(repository, active) : null;
}

/** Returns what was done so far in the active session, one line each, or null if no session is active. Changes nothing. */
export function generateProgressSummary(repository: Repository): string | null {
  const active = findActive(repository);
  return active ? summarise(repository, active) : null;
}

nameSourcesOfUncaught();
