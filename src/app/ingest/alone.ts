/** `ctx ingest` of one file: into the store of the project that its session is of, and the transcripts of its sub-agents with it. */
import { CtxError } from '../../core/errors.ts';
import { sessionRef } from '../../git/layout.ts';
import { openRepository, type Repository } from '../../history/store/repository.ts';
import { inLittleRoom } from '../../platform/memory.ts';
import { filledText } from '../session/text.ts';
import { beginningAbout, foldersAround } from '../transcript/about.ts';
import { subAgentsBeside } from '../transcript/neighbouring-files.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';
import { ingestRecognised } from './ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from './many.ts';
import { placeOf } from './plan.ts';
import type { IngestOptions, IngestResult } from './result.ts';
import { tidyAfterIngest } from './tidy.ts';

export interface IngestedAlone extends IngestResult {
  /** Whether STAGE of that store names another session. */
  other_current: boolean;
  /** The store that it went into, where that is another project's; else null. */
  other_store: string | null;
  /** What became of the transcripts of its sub-agents, which stand in a folder beside it. Absent where there are none. */
  children?: IngestManyResult;
}

export interface IngestAloneOptions extends Pick<IngestOptions, 'agent' | 'task' | 'compact' | 'from' | 'progress'> {
  /** Take it into this store, whatever project it is of. */
  here?: boolean | undefined;
  /** How the transcripts of its sub-agents are told of. */
  children?: Pick<IngestManyOptions, 'progress' | 'problem'>;
}

/**
 * Ingests one transcript in a process of its own, however long it is. Where its own project has no store it goes into
 * the one here: whoever names a file wants it somewhere.
 * @param here the store where ctx runs; null where there is none
 * @returns null where there is no store for it
 * @throws {CtxError} not_found, invalid_input, busy, damaged; choice_waits, where a question waits in its session
 */
export function ingestAlone(here: Repository | null, file: string, options: IngestAloneOptions): IngestedAlone | null {
  if (options.task !== undefined) filledText(options.task, 'The task');
  return inLittleRoom(() => {
    const transcript = recogniseTranscript(file, options.agent);
    const other_store = options.here ? null : storeOfItsOwn(here, transcript, options.from);
    if (other_store === null) return here && ingestInto(here, transcript, options, null);
    try {
      return ingestInto(openRepository({ store: other_store }), transcript, options, other_store);
    } catch (error) {
      throw toldOf(other_store, error);
    }
  });
}

function ingestInto(
  into: Repository,
  transcript: Recognised,
  options: IngestAloneOptions,
  other_store: string | null,
): IngestedAlone {
  const run = into.ids();
  // What is at work in another project is nobody's business here.
  const result = ingestRecognised(into, transcript, { ...options, run, beside: other_store !== null });
  // What sub-agents have said was forgotten with their caller.
  const children = result.forgotten_at === undefined ? childrenOf(into, transcript, run, options) : null;
  tidyAfterIngest(into);
  const stage = result.current ? null : into.refs.stage();
  const other_current = stage !== null && stage !== sessionRef(result.session_id);
  return { ...result, other_current, other_store, ...(children && { children }) };
}

/** What may be wrong with a store, and not with a transcript. */
const OF_STORE = ['busy', 'damaged', 'newer_version', 'unsupported_store', 'invalid_settings', 'choice_waits'];

/** The same trouble, told of the store that has it: it is not the one where ctx runs. */
function toldOf(store: string, error: unknown): unknown {
  if (!(error instanceof CtxError) || !OF_STORE.includes(error.code)) return error;
  const hint =
    'That is the store of the project that it took place in. Look there, or take it into the one here: --here';
  return new CtxError(error.code, `${store}: ${error.message}`, { hint, data: error.data, cause: error });
}

/** The store of the project that a session is of, where that is not the one here. */
function storeOfItsOwn(here: Repository | null, transcript: Recognised, from: string | undefined): string | null {
  const around = here === null ? [] : foldersAround(here.project, from);
  const { cwd, cwd_hash, cwd_name } = beginningAbout(transcript, around);
  const place = placeOf(here, { cwd, cwd_hash, cwd_name });
  return place.kind === 'store' ? place.store : null;
}

/** They go where their parent has gone, whatever they tell of a folder. */
function childrenOf(
  into: Repository,
  transcript: Recognised,
  run: string,
  { compact, from, children }: IngestAloneOptions,
): IngestManyResult | null {
  const places = subAgentsBeside(transcript.agent, transcript.text.file);
  return places.length === 0
    ? null
    : ingestMany(into, places, { agent: transcript.agent.name, compact, here: true, from, run, ...children });
}
