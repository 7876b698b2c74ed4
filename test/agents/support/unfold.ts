// A transcript that is one document, as its agent makes lines of it.
import type { Agent } from '../../../src/agents/contract/agent.ts';
import { documentOf } from '../../../src/agents/shared/document/document.ts';

/** The lines of a text that is a document; null where it is made of lines. */
export function unfoldText(agent: Agent, text: string): string[] | null {
  const unfolded = agent.unfold?.(documentOf(text));
  return unfolded ? [...unfolded.lines()] : null;
}

/** The line of a document on which that begins what stands on one of its lines; undefined where it is no document. */
export const lineInDocument = (agent: Agent, text: string, line: number): number | undefined =>
  agent.unfold?.(documentOf(text))?.lineInDocument(line);
