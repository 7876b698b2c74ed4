/** `ctx hook`: what agents call. It never stops them: whatever goes wrong, it ends with 0 and says nothing but what they expect. */
import type { JsonObject } from '../../core/json.ts';
import { type App, defineCommand } from '../command.ts';

/** Largest payload, in bytes. */
const LIMIT = 64 * 1024 * 1024;

interface Told {
  /** What the agent takes as its answer. */
  answer: JsonObject | null;
  /** What went wrong where there was no store to note it in. */
  problem: string | null;
}

function payloadOf(app: App): string {
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of app.input()) {
    size += piece.length;
    // The rest is read all the same: the agent must not find its pipe broken.
    if (size > LIMIT) continue;
    pieces.push(Buffer.from(piece));
    // Whoever has told all may keep the pipe open all the same.
    if (isWhole(pieces)) break;
  }
  return size <= LIMIT ? Buffer.concat(pieces).toString('utf8') : '';
}

const CLOSING_BRACE = 0x7d;

/** Whether these bytes are one JSON object to its end. */
function isWhole(pieces: readonly Buffer[]): boolean {
  const last = pieces.at(-1)?.findLast((byte) => byte > 0x20);
  if (last !== CLOSING_BRACE) return false;
  try {
    JSON.parse(Buffer.concat(pieces).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

export const hookCommand = defineCommand<{ agent: string }, Told>({
  name: 'hook',
  summary: 'take what an agent tells by a hook; agents call it, see ctx hooks install',
  arguments: [{ name: 'agent', description: 'claude-code, codex, gemini, pi, opencode or cursor' }],
  examples: [['ctx hook claude-code <payload.json', 'what Claude Code runs at each event']],
  mutates: true,
  input: (z) => z.object({ agent: z.string() }),
  run: async (app, { agent }) => {
    const { directory, store } = app;
    try {
      const { handleHook } = await import('../../app/hook.ts');
      return { answer: await handleHook(agent, payloadOf(app), { directory, store }), problem: null };
    } catch (error) {
      return { answer: null, problem: error instanceof Error ? error.message : String(error) };
    }
  },
  problems: ({ problem }) => (problem === null ? [] : [problem]),
  render: ({ answer }) => (answer === null ? '' : JSON.stringify(answer)),
});
