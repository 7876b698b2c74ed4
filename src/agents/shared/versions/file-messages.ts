/** Collects which messages are still in a rewritten transcript, and which of them the model sees. */
import type { Meaning } from './dialect.ts';

/** The messages in a rewritten transcript. */
export class FileMessages {
  /** The ids of the messages in the file. */
  readonly all = new Set<string>();
  /** The time at which each message began, in Unix seconds; no entry for a message without a time. */
  readonly begun = new Map<string, number>();
  /** True if messages that were taken back are in view again if the file has no record of the rewind any more. */
  readonly restoresRewound: boolean;
  #shown: string[] = [];
  #isPlain = true;

  constructor(restoresRewound: boolean) {
    this.restoresRewound = restoresRewound;
  }

  /** The ids of the messages in view, in order; null if the file is damaged or lists the messages in view. */
  get shown(): readonly string[] | null {
    return this.#isPlain ? this.#shown : null;
  }

  /** Adds the meaning of a record. */
  add({ message, view, results = [] }: Meaning): void {
    if (message && !this.all.has(message.id)) {
      this.all.add(message.id);
      if (message.at !== undefined) this.begun.set(message.id, message.at);
      this.#shown.push(message.id);
    }
    // A result without its call becomes a message whose id is not in the file.
    if (results.length > 0 || view?.type === 'list') this.markIncomplete();
    if (view?.type === 'compact') this.#shown.splice(0, Math.max(0, this.#shown.indexOf(view.from)));
    if (view?.type !== 'rewind') return;
    const index = this.#shown.indexOf(view.to);
    if (index < 0) this.markIncomplete();
    else this.#shown.splice(index);
  }

  /** Notes that something in the file, which may be a message, cannot be read. */
  markIncomplete(): void {
    this.#isPlain = false;
  }
}
