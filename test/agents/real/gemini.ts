/** The interface of Google's models: `POST /v1beta/models/<model>:streamGenerateContent`, streamed. */
import { type Asked, type Turn, textOf, type Wire } from './wire.ts';

interface Part {
  text?: string;
  thought?: boolean;
  functionCall?: { id?: string; name?: string; args?: unknown };
  functionResponse?: { id?: string; name?: string; response?: { output?: unknown; error?: unknown } };
}

interface Content {
  role?: string;
  parts?: Part[];
}

function turnsOf({ role, parts = [] }: Content): Turn[] {
  return parts.flatMap((part): Turn[] => {
    const { functionCall: call, functionResponse: result } = part;
    if (call) return [{ type: 'call', id: call.id ?? call.name ?? '', name: call.name ?? '', input: call.args }];
    if (result)
      return [
        {
          type: 'result',
          id: result.id ?? result.name ?? '',
          text: textOf(result.response?.output ?? result.response?.error ?? ''),
        },
      ];
    if (part.thought || part.text === undefined) return [];
    return [{ type: role === 'model' ? 'assistant' : 'user', text: part.text }];
  });
}

const line = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`;

export const gemini: Wire = {
  read(path, body): Asked | null {
    if (!/:(streamG|g)enerateContent/.test(path)) return null;
    const declared = (body['tools'] ?? []) as { functionDeclarations?: { name?: string }[] }[];
    return {
      turns: ((body['contents'] ?? []) as Content[]).flatMap(turnsOf),
      tools: declared.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name ?? '')),
      system: textOf((body['systemInstruction'] as Content | undefined)?.parts),
    };
  },

  events({ text, call, hangs }, id) {
    const parts: Part[] = text === undefined ? [] : [{ text }];
    if (call) parts.push({ functionCall: { id: `call_${id}`, name: call.name, args: call.input } });
    const content = { role: 'model', parts };
    if (hangs) return [line({ candidates: [{ index: 0, content }] })];
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
    return [line({ candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata, responseId: id })];
  },
};
