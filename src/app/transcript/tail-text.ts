/** The lines of a conversation that nobody keeps as a file: they come once, and are read once. */
import type { TranscriptText } from './text.ts';

/** Returns a text of new lines, which begin wherever the conversation was read to. */
export const tailText = (lines: readonly string[]): TranscriptText => ({
  file: '',
  size: () => Number.MAX_SAFE_INTEGER,
  writtenAt: () => 0,
  *pieces() {
    for (const line of lines) yield Buffer.from(`${line}\n`);
  },
  isTail: true,
  lineInFile: (line) => line,
});
