/** The files of a conversation that one goes on from: they are taken in first, so that all of it is kept in its order. */
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

/** The file that a transcript goes on from; null where that is another conversation's, not there, or cannot be read. */
export function baseOf({ agent, agentSession, text }: Recognised): Recognised | null {
  const id = agent.goesOnFrom?.(firstLineOf(text)) ?? null;
  const file = id === null ? null : otherTranscript(agent, text.file, id);
  try {
    const base = file === null ? null : recogniseTranscript(file, agent.name);
    return base?.agentSession === agentSession ? base : null;
  } catch (error) {
    // The reader of this one says that it is missing.
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/** Takes in what a transcript goes on from. @returns what that has added; null where nothing is said in it, or it cannot be read */
export function ingestBase(
  repository: Repository,
  base: Recognised,
  options: IngestOptions,
  ingest: (repository: Repository, transcript: Recognised, options: IngestOptions) => IngestResult,
): IngestResult | null {
  try {
    return ingest(repository, base, { ...options, compact: false });
  } catch (error) {
    // Trouble of the store is trouble of all; what is the base's own is said where the other one goes on from it.
    if (error instanceof CtxError && !stopsAll(error, base)) return null;
    throw error;
  }
}

/** What came of a transcript, with what came of the files that it goes on from. */
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
