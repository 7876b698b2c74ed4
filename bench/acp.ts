/** Measures how much later a message of the Agent Client Protocol arrives if `ctx acp` relays it, and records. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Budget, Row } from './budgets.ts';
import { ENVIRONMENT, PROGRAM } from './program.ts';
import { makeProject } from './project.ts';
import { quantile } from './statistics.ts';

/** Milliseconds from a message to its answer, at the 95th percentile, more than without ctx. */
const ADDED: Budget = { must: 2, wanted: 1 };
const MESSAGES = 2000;
/** Messages before those that count: the programs are warm then. */
const WARM = 200;

/** An agent that sends everything back. */
const AGENT = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];

const message = (id: number): string =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's-1',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `piece ${id} ` } },
    },
  })}\n`;

/** One connection: sends a message, and waits until it is back. */
class Echo {
  readonly child: ChildProcess;
  #came: (() => void) | null = null;

  constructor(folder: string, words: readonly string[]) {
    this.child = spawn(process.execPath, words, { cwd: folder, env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (piece: Buffer) => {
      if (piece.includes(0x0a)) this.#came?.();
    });
  }

  /** Returns the milliseconds of one message there and back. */
  async send(id: number): Promise<number> {
    const begun = performance.now();
    const back = new Promise<void>((resolve) => {
      this.#came = resolve;
    });
    this.child.stdin?.write(message(id));
    await back;
    return performance.now() - begun;
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    await once(this.child, 'exit');
  }
}

/** Measures both ways in turns, so that a disturbance of the machine affects both. */
export async function acpRows(workshop: string): Promise<Row[]> {
  const folder = makeProject(workshop, 'acp', { fsync: false });
  const direct = new Echo(folder, AGENT.slice(1));
  const through = new Echo(folder, [PROGRAM, 'acp', '--record', '--', ...AGENT]);
  const times: { direct: number[]; through: number[] } = { direct: [], through: [] };
  for (let id = 0; id < WARM + MESSAGES; id += 1) {
    const [one, other] = [await direct.send(id), await through.send(id)];
    if (id < WARM) continue;
    times.direct.push(one);
    times.through.push(other);
  }
  await Promise.all([direct.end(), through.end()]);
  const [without, passed] = [times.direct, times.through].map((all) => quantile(all, 0.95)) as [number, number];
  const beside = `${without.toFixed(2)} ms without, ${passed.toFixed(2)} ms with`;
  return [{ name: '`acp --record`: a message there and back, p95', figure: passed - without, beside, budget: ADDED }];
}
