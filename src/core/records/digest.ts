/** Gathers what a session's records say, step by step, so that no more than one step is held at a time. */

/** Most bytes of a file that is written and read in one piece: ctx reads 64 MiB so; a little is kept for the last line. */
const ROOM = 64 * 1024 * 1024 - 1024;

/** Gathers records as lines, in order. From the first that finds no room on, they stay in the chain alone, and are counted. */
export class DigestLines {
  #lines: string[] = [];
  #room: number;
  #leftOut = 0;

  /** @param room most bytes of the lines together */
  constructor(room = ROOM) {
    this.#room = room;
  }

  add(record: object): void {
    if (this.#leftOut > 0) {
      this.#leftOut += 1;
      return;
    }
    const line = `${JSON.stringify(record)}\n`;
    this.#room -= Buffer.byteLength(line);
    if (this.#room >= 0) this.#lines.push(line);
    else this.#leftOut = 1;
  }

  /** Takes the lines since they were last taken, each with its end. */
  take(): string[] {
    return this.#lines.splice(0);
  }

  /** Returns what comes after all lines: how many were left out, or nothing. */
  end(): string {
    return this.#leftOut === 0 ? '' : `${JSON.stringify({ left_out: this.#leftOut })}\n`;
  }

  /** Returns the whole file. */
  text(): string {
    return `${this.#lines.join('')}${this.end()}`;
  }
}

/** Contents of a session's records. */
export interface Digest {
  /** Lines of notes.jsonl: notes, plans, questions, answers, commands without their output. */
  notes: DigestLines;
  /** Lines of edges.jsonl: relations. */
  edges: DigestLines;
  /** Last operation on each path. */
  paths: Map<string, 'read' | 'write' | 'delete'>;
  /** Paths that were written or deleted at least once. */
  changed: Set<string>;
  conversation: { role: 'question' | 'answer' | 'intervention'; text: string }[];
  /** Number of entries of the conversation that came before the last rewind, which has put the newest of them out of view. */
  rewound: number;
  decisions: string[];
  plans: string[];
  remarks: string[];
  commands: Map<string, { command: string; exit_code: number | null; runs: number }>;
  /** The agent's last report of its work. */
  summary: string;
}

/** Returns the digest of no records. */
export function newDigest(): Digest {
  return {
    notes: new DigestLines(),
    edges: new DigestLines(),
    paths: new Map(),
    changed: new Set(),
    conversation: [],
    rewound: 0,
    decisions: [],
    plans: [],
    remarks: [],
    commands: new Map(),
    summary: '',
  };
}
