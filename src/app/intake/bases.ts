/** Ingests the file that another file of the same conversation continues first, so that the conversation keeps its order. */
import type { LineProblem } from '../../agents/contract/agent.ts';
import { count, noCounts } from '../../core/counts.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { stopsAll } from '../transcript/file-errors.ts';
import { otherTranscript } from '../transcript/other-transcript.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import { firstLineOf } from '../transcript/source-file.ts';
import type { Recognised } from '../transcript/text.ts';
import type { IngestOptions, IngestResult } from './result.ts';

/**
 * Returns the file that a transcript continues; null if that is another conversation's, does not exist, or cannot be
 * read.
 */
export function baseOf({ agent, agentSession, text }: Recognised): Recognised | null {
  const id = agent.goesOnFrom?.(firstLineOf(text)) ?? null;
  const file = id === null ? null : otherTranscript(agent, text.file, id);
  try {
    const base = file === null ? null : recogniseTranscript(file, agent.name);
    return base?.agentSession === agentSession ? base : null;
  } catch (error) {
    // The reader of this transcript reports that it is missing.
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/**
 * Ingests the file that a transcript continues.
 * @returns what that has added; null if there is no conversation in it, or it cannot be read
 */
export function ingestBase(
  repository: Repository,
  base: Recognised,
  options: IngestOptions,
  ingest: (repository: Repository, transcript: Recognised, options: IngestOptions) => IngestResult,
): IngestResult | null {
  try {
    return ingest(repository, base, { ...options, compact: false });
  } catch (error) {
    // Errors of the store stop everything; errors of the base are reported by the transcript that continues it.
    if (error instanceof CtxError && !stopsAll(error, base)) return null;
    throw error;
  }
}

/** Adds the result of the base to that of a transcript. */
export function withBase(result: IngestResult, base: Recognised, before: IngestResult | null): IngestResult {
  if (!before) return result;
  const problems = before.problems.map(
    ({ line, message, ...problem }): LineProblem => ({
      ...problem,
      line: 1,
      message: `continues ${base.text.file}, line ${line} of which ${message}`,
    }),
  );
  const unknown = noCounts();
  for (const { unknown: counts } of [before, result])
    for (const [type, more] of Object.entries(counts)) count(unknown, type, more);
  return {
    ...result,
    unknown,
    created: result.created || before.created,
    steps_added: result.steps_added + before.steps_added,
    messages: result.messages + before.messages,
    tool_calls: result.tool_calls + before.tool_calls,
    lines: result.lines + before.lines,
    problems: [...problems, ...result.problems],
  };
}
