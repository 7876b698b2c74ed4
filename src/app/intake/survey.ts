/** Surveys the transcripts of a folder: agent, project, and time of the last event. */
import { tidyAfter } from '../../platform/memory.ts';
import { beginningAbout, lastTimeOf } from '../transcript/about.ts';
import { hasId } from '../transcript/conversation-id.ts';
import { asProblem } from '../transcript/file-errors.ts';
import type { Findings, FoundTranscript } from '../transcript/find-transcripts.ts';
import { firstLineOf } from '../transcript/source-file.ts';
import type { Surveyed } from './plan.ts';
import type { IngestStep } from './result.ts';

/** Surveys each transcript; one that cannot be read is a problem. */
export function survey(
  findings: Findings,
  progress: ((step: IngestStep) => void) | undefined,
  folders: readonly string[],
): Surveyed[] {
  const total = findings.transcripts.length;
  return findings.transcripts.flatMap((found, done) => {
    progress?.({ done, total, doing: `looking at ${found.file}`, looking: true });
    try {
      return lookAt(found, folders);
    } catch (error) {
      findings.problems.push(asProblem(found.file, error));
      return [];
    }
  });
}

/**
 * Garbage that surveying a transcript leaves, relative to its size and at most: several readers parse its first and
 * last lines.
 */
const LOOKED_AT = { times: 4, most: 1024 * 1024 };

function lookAt(found: FoundTranscript, folders: readonly string[]): Surveyed {
  const recognised = found.open();
  const about = beginningAbout(recognised, folders);
  const bytes = recognised.text.size();
  tidyAfter(Math.min(bytes * LOOKED_AT.times, LOOKED_AT.most));
  return {
    ...found,
    agent: recognised.agent.name,
    agent_session_id: recognised.agentSession,
    hasId: hasId(recognised),
    parent: about.parent_agent_session_id,
    cwd: about.cwd,
    cwd_hash: about.cwd_hash,
    cwd_name: about.cwd_name,
    last_at: lastTimeOf(recognised) ?? found.written_at,
    goesOn: (recognised.agent.goesOnFrom?.(firstLineOf(recognised.text)) ?? null) !== null,
    bytes,
  };
}
