/** A terminal of its own, by tmux, in which a program draws and somebody types. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Environment, waitFor } from './start.ts';

/** Longest that a program may take to draw something, in milliseconds. */
const LONGEST = 180_000;

export class Terminal {
  readonly #socket: string;

  /** Starts a command line. @param folder of its socket */
  constructor(folder: string, line: string, cwd: string, env: Environment) {
    this.#socket = join(folder, 'terminal');
    const words = ['new-session', '-d', '-x', '160', '-y', '50', '-c', cwd, line];
    const ran = this.#tmux(words, { ...env, SHELL: '/bin/sh', LANG: 'C.UTF-8' });
    if (ran.status !== 0) throw new Error(`tmux: ${ran.stderr}`);
  }

  #tmux(words: readonly string[], env: Environment = {}): { status: number | null; stdout: string; stderr: string } {
    const all = ['-f', '/dev/null', '-u', '-S', this.#socket, ...words];
    return spawnSync('tmux', all, { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' });
  }

  /** Returns what is on the screen, and what has scrolled off it. */
  picture(): string {
    return this.#tmux(['capture-pane', '-p', '-S', '-']).stdout;
  }

  /** Waits until the screen has a text. */
  shows(text: RegExp | string): Promise<boolean> {
    return waitFor(
      () => (typeof text === 'string' ? this.picture().includes(text) : text.test(this.picture())),
      LONGEST,
    );
  }

  /** Types a text, and then Enter until something holds: a program that is not ready yet takes no key. */
  async enter(text: string, holds: () => boolean): Promise<boolean> {
    this.#tmux(['send-keys', '-l', text]);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (attempt > 0 && !this.picture().includes(text)) this.#tmux(['send-keys', '-l', text]);
      await waitFor(() => this.picture().includes(text), 3000);
      this.#tmux(['send-keys', 'Enter']);
      if (await waitFor(holds, 5000)) return true;
    }
    return false;
  }

  /** Takes the terminal away, and waits until what runs in it, which is hung up, has ended. */
  async close(): Promise<void> {
    const leader = this.#tmux(['list-panes', '-F', '#{pane_pid}']).stdout.trim();
    this.#tmux(['kill-server']);
    await waitFor(() => spawnSync('ps', ['-s', leader]).status !== 0, LONGEST);
  }
}
