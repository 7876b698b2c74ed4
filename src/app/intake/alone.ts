/** `ctx ingest` of one file: into the store of the project that its session belongs to, with its sub-agents' transcripts. */
import { CtxError } from '../../core/errors.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import { openRepository, type Repository } from '../../history/store/repository.ts';
import { withSmallHeap } from '../../platform/memory.ts';
import { filledText } from '../session/text.ts';
import { beginningAbout, foldersAround } from '../transcript/about.ts';
import { subAgentsBeside } from '../transcript/neighbouring-files.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';
import { activateIngested } from './after-many.ts';
import { ingestRecognised } from './ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from './many.ts';
import { placeOf } from './plan.ts';
import type { IngestOptions, IngestResult } from './result.ts';
import { tidyAfterIngest } from './tidy.ts';

export interface IngestedSingle extends IngestResult {
  short_id: string;
  /** True if STAGE of that store names another session. */
  other_current: boolean;
  /** The store that it was ingested into, if that is another project's; else null. */
  other_store: string | null;
  /** The result for the transcripts of its sub-agents, in a folder beside it. Absent if there are none. */
  children?: IngestManyResult;
}

interface IngestSingleOptions extends Pick<IngestOptions, 'agent' | 'task' | 'compact' | 'from' | 'progress'> {
  /** Ingest it into this store, whatever its project is. */
  here?: boolean | undefined;
  /** Make its session the active one, whichever is active now. */
  activate?: boolean | undefined;
  /** Callbacks that report progress and problems of the sub-agents' transcripts. */
  children?: Pick<IngestManyOptions, 'progress' | 'problem'>;
}

/**
 * Ingests one transcript of any length in a process of its own. If its own project has no store, the store here is
 * used, since the user has named the file.
 * @param here the store where ctx runs; null if there is none
 * @returns null if there is no store for it
 * @throws {CtxError} not_found, invalid_input, busy, damaged; choice_waits, if a question waits in its session
 */
export function ingestSingle(
  here: Repository | null,
  file: string,
  options: IngestSingleOptions,
): IngestedSingle | null {
  if (options.task !== undefined) filledText(options.task, 'The task');
  return withSmallHeap(() => {
    const transcript = recogniseTranscript(file, options.agent);
    const other_store = options.here ? null : otherStoreOf(here, transcript, options.from);
    if (other_store === null) return here && ingestInto(here, transcript, options, null);
    try {
      return ingestInto(openRepository({ store: other_store }), transcript, options, other_store);
    } catch (error) {
      throw withStoreNamed(other_store, error);
    }
  });
}

function ingestInto(
  into: Repository,
  transcript: Recognised,
  options: IngestSingleOptions,
  other_store: string | null,
): IngestedSingle {
  const run = into.ids();
  // The active session of another project is left alone.
  const result = ingestRecognised(into, transcript, { ...options, run, beside: other_store !== null });
  if (options.activate && other_store === null && result.open && !result.current)
    result.current = activateIngested(into, result.session_id, run);
  // The transcripts of sub-agents were forgotten with their caller.
  const children = result.forgotten_at === undefined ? ingestChildren(into, transcript, run, options) : null;
  tidyAfterIngest(into);
  const stage = result.current ? null : into.refs.stage();
  const other_current = stage !== null && stage !== sessionRef(result.session_id);
  const short_id = shortIdsOf(into).get(result.session_id) ?? result.session_id;
  return { ...result, short_id, other_current, other_store, ...(children && { children }) };
}

/** Errors of a store, not of a transcript. */
const OF_STORE = ['busy', 'damaged', 'newer_version', 'unsupported_store', 'invalid_settings', 'choice_waits'];

/** Names the store in an error of a store other than the one here. */
function withStoreNamed(store: string, error: unknown): unknown {
  if (!(error instanceof CtxError) || !OF_STORE.includes(error.code)) return error;
  const hint =
    'That is the store of the project that it took place in. Look there, or take it into the one here: --here';
  return new CtxError(error.code, `${store}: ${error.message}`, { hint, data: error.data, cause: error });
}

/** Returns the store of the project that a session belongs to, if that is not the one here. */
function otherStoreOf(here: Repository | null, transcript: Recognised, from: string | undefined): string | null {
  const around = here === null ? [] : foldersAround(here.project, from);
  const { cwd, cwd_hash, cwd_name } = beginningAbout(transcript, around);
  const place = placeOf(here, { cwd, cwd_hash, cwd_name });
  return place.kind === 'store' ? place.store : null;
}

/** Ingests the transcripts of sub-agents into the store of their parent, whatever folder they name. */
function ingestChildren(
  into: Repository,
  transcript: Recognised,
  run: string,
  { compact, from, children }: IngestSingleOptions,
): IngestManyResult | null {
  const places = subAgentsBeside(transcript.agent, transcript.text.file);
  return places.length === 0
    ? null
    : ingestMany(into, places, {
        ...{ agent: transcript.agent.name, compact, here: true, keepOpen: true, from, run },
        ...children,
      });
}
