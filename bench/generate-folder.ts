/** Makes a folder of transcripts: the conversations of the fixtures of two agents, about pieces of this project's own text. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { endlessRollout } from './generate-rollout.ts';
import { endlessTranscript } from './generate-transcript.ts';
import { chance, ownFiles, piecesOf, varied } from './own-text.ts';

/** Bytes of one transcript, about. */
const TRANSCRIPT = 10_000_000;
/**
 * Factors by which texts that are said, read and written are longer than in the fixture of each agent, which are short so that people can read
 * them. A line then has about as many bytes as in real transcripts on average: 2.4 KB of Claude Code, 0.8 KB of a new rollout of
 * Codex and 1.6 KB of an old one (measured on 12 MB of them).
 */
const LONGER = { claude: 5, codex: 16 };

/** The session of each transcript has an id of its own. */
const withSession = (copy: string, session: string, mine: string): string => copy.replaceAll(session, mine);

/** Writes transcripts of so many bytes in all into a folder, and in each; gives how many bytes they have. */
export function writeFolder(folder: string, bytes: number, each = TRANSCRIPT): number {
  mkdirSync(folder, { recursive: true });
  const files = ownFiles();
  const random = chance();
  let written = 0;
  for (let number = 0; written < bytes; number += 1) {
    const isClaude = number % 2 === 0;
    const { conversation, session } = isClaude ? endlessTranscript() : endlessRollout();
    const longer = isClaude ? LONGER.claude : LONGER.codex;
    const mine = `${number.toString(16).padStart(8, '0')}${session.slice(8)}`;
    const piece = piecesOf(files, random);
    const handle = openSync(join(folder, `${mine}.jsonl`), 'wx');
    const least = written + Math.min(each, bytes - written);
    for (const copy of conversation) {
      if (written >= least) break;
      written += writeSync(handle, varied(withSession(copy, session, mine), piece, longer));
    }
    closeSync(handle);
  }
  return written;
}
