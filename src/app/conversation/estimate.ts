/** Estimates tokens: what no provider has reported. */
import { outputLength } from '../../core/conversation/prune.ts';
import { isStub } from '../../core/externalise.ts';
import type { Part, ToolPart } from '../../core/message.ts';

/** Estimates the tokens of a part, and of a text. */
export interface Estimate {
  text: (text: string) => number;
  part: (part: Part) => number;
}

/** Bytes of a token, about, of a text that is not at hand. */
const BYTES_PER_TOKEN = 4;
/** Tokens of an image or a document whose size in tokens depends on its model. */
const FILE_TOKENS = 1500;

/** Loads the estimator: nothing else needs it. */
export async function loadEstimate(): Promise<Estimate> {
  const { estimateTokenCount } = await import('tokenx');
  const value = (given: unknown): number => {
    if (given === undefined || given === null) return 0;
    if (isStub(given)) return Math.ceil(outputLength(given) / BYTES_PER_TOKEN);
    return estimateTokenCount(typeof given === 'string' ? given : JSON.stringify(given));
  };
  const part = (given: Part): number => {
    if (given.type === 'text' || given.type === 'reasoning') return value(given.text);
    if (given.type === 'file') return FILE_TOKENS;
    if (given.type !== 'dynamic-tool') {
      const { data } = given as { data?: unknown };
      // Of a compaction the model sees the summary alone.
      return value(given.type === 'data-compaction' ? (data as { summary?: unknown } | undefined)?.summary : data);
    }
    const { toolName, input, output, errorText } = given as ToolPart & { output?: unknown; errorText?: unknown };
    return value(toolName) + value(input) + value(output) + value(errorText);
  };
  return { text: estimateTokenCount, part };
}
