// Streams that the package `ai` has made, and what its own reducer makes of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { Chunk } from '../../src/core/run/chunk.ts';
import { ROOT } from './store.ts';

/** The recorded streams, by the name of their file. */
export type StreamName = 'v5' | 'v6' | 'v7' | 'long';

export const streamPath = (name: StreamName): string => join(ROOT, 'fixtures', 'ai-sdk', `${name}.ndjson`);

export const streamNamed = (name: StreamName): Chunk[] =>
  readFileSync(streamPath(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Chunk);

/** The message that the AI SDK makes of chunks, without keys that have no value; null if they make none. */
export async function messageOf(chunks: readonly Chunk[], before?: object): Promise<UIMessage | null> {
  let last: UIMessage | null = null;
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of structuredClone(chunks) as unknown as UIMessageChunk[]) controller.enqueue(chunk);
      // A change that is not written is in the message of the next one that is.
      controller.enqueue({ type: 'message-metadata', messageMetadata: {} });
      controller.close();
    },
  });
  const message = before === undefined ? {} : { message: structuredClone(before) as UIMessage };
  for await (const one of readUIMessageStream({ stream, ...message, onError: () => undefined })) last = one;
  return last && (JSON.parse(JSON.stringify(last)) as UIMessage);
}
