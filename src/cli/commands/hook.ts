/** `ctx hook`: what agents call. It never stops them: whatever goes wrong, it ends with 0 and says nothing but what they expect. */
import { type CutLimits, JsonCutter } from '../../core/cut-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { type App, defineCommand } from '../frame/command.ts';

/** A payload of more bytes is not held whole: its longest texts, and then its lists and objects, lose their ends. */
const WHOLE = 16 * 1024 * 1024;
const LIMITS: CutLimits = {
  text: 1024 * 1024,
  all: 6 * 1024 * 1024,
  later: 1024,
  values: 100_000,
  most: 8 * 1024 * 1024,
};
/** Beyond so many bytes even what is kept of it is too much: no agent writes blanks or digits without an end. */
const LIMIT = 40 * 1024 * 1024;

/** Longest silence of a writer that has not ended its payload, in milliseconds. */
const WAIT = 1000;

interface Told {
  /** The answer for the agent. */
  answer: JsonObject | null;
  /** The problem, if there was no store to note it in. */
  problem: string | null;
}

function payloadOf(app: App): string {
  let pieces: Buffer[] = [];
  let size = 0;
  let cutter: JsonCutter | null = null;
  for (const piece of app.input(WAIT)) {
    // The rest is read all the same: the agent must not find its pipe broken.
    if (size > LIMIT) continue;
    pieces.push(cutter ? cutter.push(piece) : Buffer.from(piece));
    size += pieces.at(-1)?.length ?? 0;
    if (!cutter && size > WHOLE) {
      cutter = new JsonCutter(LIMITS);
      pieces = [cutter.push(Buffer.concat(pieces))];
      size = pieces[0]?.length ?? 0;
    }
    // An agent may keep the pipe open after the payload is complete.
    if (cutter?.isWhole) break;
    const whole = cutter ? null : wholeObject(pieces);
    if (whole !== null) return whole;
  }
  return size <= LIMIT ? textOf(pieces) : '';
}

const textOf = (pieces: readonly Buffer[]): string =>
  (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString('utf8');

const CLOSING_BRACE = 0x7d;

/** Returns these bytes if they are one whole JSON object, and null otherwise. */
function wholeObject(pieces: readonly Buffer[]): string | null {
  const end = pieces.at(-1) as Buffer;
  let last = end.length - 1;
  while (last >= 0 && (end[last] as number) <= 0x20) last -= 1;
  if (end[last] !== CLOSING_BRACE) return null;
  const text = textOf(pieces);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return null;
  }
}

/** The folder that the hook runs in, or one that always exists if that is gone: most payloads name the agent's folder. */
function folderOf(app: App): string {
  try {
    return app.directory;
  } catch {
    return '/';
  }
}

export const hookCommand = defineCommand<{ agent: string; permissions?: boolean | undefined }, Told>({
  name: 'hook',
  summary: 'record what an agent sends by a hook; agents call it, see ctx hooks install',
  arguments: [
    { name: 'agent', description: 'claude-code, codex, gemini, pi, opencode or cursor', completes: 'agents' },
  ],
  options: [{ flags: '--permissions', description: 'answer by the rules of ctx permission if a tool may be used' }],
  examples: [['ctx hook claude-code <payload.json', 'what Claude Code runs at each event']],
  exits: [[0, 'whatever happens, so that no agent is stopped; what went wrong is in ctx status']],
  mutates: true,
  isAsked: () => true,
  input: (z) => z.object({ agent: z.string(), permissions: z.optional(z.boolean()) }),
  run: async (app, { agent, permissions }) => {
    const { store, environment } = app;
    try {
      const { handleHook } = await import('../../app/intake/hook/hook.ts');
      const payload = payloadOf(app);
      const options = { directory: folderOf(app), store, environment, permissions, taken: process.uptime() * 1000 };
      return { answer: await handleHook(agent, payload, options), problem: null };
    } catch (error) {
      return { answer: null, problem: error instanceof Error ? error.message : String(error) };
    }
  },
  problems: ({ problem }) => (problem === null ? [] : [problem]),
  render: ({ answer }) => (answer === null ? '' : JSON.stringify(answer)),
});
