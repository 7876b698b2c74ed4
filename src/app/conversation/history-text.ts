/** Words a conversation as one text, for a summarizer to read. */
import type { Told } from '../../core/conversation/extract.ts';
import { isStub } from '../../core/externalise.ts';
import type { Part, ToolPart } from '../../core/message.ts';

/** Shortest output that is left out of a shortened history. */
const LONG_OUTPUT = 1024;

/** Words one message. @param pruned whether long outputs are left out */
export function messageText({ role, parts }: Told, pruned: boolean): string {
  const texts = parts.map((part) => partText(part, pruned)).filter((text) => text !== '');
  return texts.length === 0 ? '' : `[${role}]\n${texts.join('\n')}\n`;
}

const words = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (isStub(value)) return `${value.preview}…`;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

function partText(part: Part, pruned: boolean): string {
  if (part.type === 'text') return words(part.text);
  if (part.type === 'data-compaction') return words((part['data'] as { summary?: unknown } | undefined)?.summary);
  if (part.type === 'file') return `<file ${words(part.filename ?? part.mediaType)}>`;
  if (part.type !== 'dynamic-tool') return '';
  const { toolName, input, output, errorText, exit_code } = part as ToolPart & Record<string, unknown>;
  const result = words(errorText ?? output);
  const isLong = pruned && errorText === undefined && result.length > LONG_OUTPUT;
  const shown = isLong ? `<output left out, ${result.length} characters>` : result;
  return `<call ${toolName} ${words(input)}>${exit_code === undefined ? '' : ` exit ${exit_code}`}${shown === '' ? '' : `\n${shown}`}`;
}

/** Splits texts into consecutive groups, each of at most so many tokens; a text that is larger alone is a group of its own. */
export function inChunks(texts: readonly string[], limit: number, tokensOf: (text: string) => number): string[] {
  const chunks: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const tokens = tokensOf(text);
    if (size + tokens > limit) {
      chunks.push([]);
      size = 0;
    }
    chunks.at(-1)?.push(text);
    size += tokens;
  }
  return chunks.map((chunk) => chunk.join('\n'));
}
