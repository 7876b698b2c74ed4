/** Processes of ctx that do nothing: a test says when they answer, and sees what they were told and which were killed. */
import { EventEmitter } from 'node:events';
import { vi } from 'vitest';

class Child extends EventEmitter {
  told = '';
  readonly pid: number;
  readonly stdout = Object.assign(new EventEmitter(), { setEncoding: () => {}, unref: () => {} });
  readonly stdin = Object.assign(new EventEmitter(), {
    end: (text: string) => {
      this.told = text;
    },
    unref: () => {},
  });

  constructor(pid: number) {
    super();
    this.pid = pid;
  }

  unref(): void {}

  /** It ends, with this answer. */
  answers(said = ''): void {
    this.stdout.emit('data', said);
    this.emit('close');
  }
}

/** @param begun what a process does at its start */
export function children(begun: (child: Child) => void = () => {}) {
  const all: Child[] = [];
  const killed: number[] = [];
  vi.spyOn(process, 'kill').mockImplementation((pid) => {
    killed.push(pid);
    all.find((one) => one.pid === -pid)?.emit('close');
    return true;
  });
  return {
    all,
    /** The process groups, in order. */
    killed,
    told: (): Record<string, unknown>[] => all.map(({ told }) => JSON.parse(told) as Record<string, unknown>),
    spawn: (): Child => {
      const child = new Child(1000 + all.length);
      all.push(child);
      begun(child);
      return child;
    },
  };
}
