/** `ctx ingest` of one file: into the store of the project that its session is of, and the transcripts of its sub-agents with it. */
import { inLittleRoom } from '../../platform/memory.ts';
import { openRepository, type Repository } from '../../store/repository.ts';
import { filledText } from '../text.ts';
import { beginningAbout, foldersAround, subAgentsBeside } from '../transcript/about.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';
import { ingestRecognised } from './ingest.ts';
import { type IngestManyOptions, type IngestManyResult, ingestMany } from './many.ts';
import { placeOf } from './plan.ts';
import type { IngestOptions, IngestResult } from './result.ts';

export interface IngestedAlone extends IngestResult {
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
 * Ingests one transcript in a process of its own, however long it is. Where its own project has no store it goes into the one
 * here: whoever names a file wants it somewhere.
 * @param here the store where ctx runs; null where there is none
 * @returns null where there is no store for it
 * @throws {CtxError} not_found, invalid_input, busy, damaged; choice_waits, where a question waits in its session
 */
export function ingestAlone(here: Repository | null, file: string, options: IngestAloneOptions): IngestedAlone | null {
  if (options.task !== undefined) filledText(options.task, 'The task');
  return inLittleRoom(() => {
    const transcript = recogniseTranscript(file, options.agent);
    const other_store = options.here ? null : storeOfItsOwn(here, transcript, options.from);
    const into = other_store === null ? here : openRepository({ store: other_store });
    if (!into) return null;
    const run = into.ids();
    // What is at work there is nobody's business here.
    const result = ingestRecognised(into, transcript, { ...options, run, beside: other_store !== null });
    const children = childrenOf(into, transcript, run, options);
    return { ...result, other_store, ...(children && { children }) };
  });
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
  const folder = subAgentsBeside(transcript);
  return folder === null
    ? null
    : ingestMany(into, [folder], { agent: transcript.agent.name, compact, here: true, from, run, ...children });
}
