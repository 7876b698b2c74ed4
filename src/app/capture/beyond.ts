/** What of a conversation is not read since it lies beside its file: a file that is not there, or what a newer agent means. */
import { basename } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import type { TranscriptProblem } from '../transcript/found.ts';
import type { KnownReadings } from '../transcript/source.ts';
import type { Count } from './count.ts';

export function* beyondOf(
  agent: Agent,
  file: string,
  { beyond }: Pick<Count, 'beyond'>,
  known: KnownReadings,
): Generator<TranscriptProblem> {
  for (const { missing, message: what } of beyond) {
    // What was read before it went away is kept.
    if (missing !== undefined && isKept(agent, file, missing, known)) continue;
    const message = `${file} ${what}.`;
    const hint =
      missing === undefined
        ? 'Upgrade ctx, then: ctx capture catch-up --all'
        : 'Put that one back beside it, then: ctx capture catch-up --all';
    yield { agent: agent.name, file, reason: missing === undefined ? 'newer' : 'missing', message, hint };
  }
}

/** Whether a session was read from the file that another one names. */
function isKept({ name, others }: Agent, file: string, id: string, { all }: KnownReadings): boolean {
  const isIt = (path: string): boolean => (others?.rank(basename(path), basename(file), id) ?? null) !== null;
  return all.some(
    ({ source }) =>
      source.agent === name && [source, ...(source.other_files ?? [])].some(({ transcript }) => isIt(transcript)),
  );
}
