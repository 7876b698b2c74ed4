/** What stands in a transcript of versions that was written anew: which messages are still in it, and which of them the model sees. */
import type { Telling } from './dialect.ts';

export class Standing {
  /** The messages that are in it. */
  readonly all = new Set<string>();
  /** When each of them began, where it tells: Unix seconds. */
  readonly begun = new Map<string, number>();
  /** Whether what was taken back is in view again where nothing in it says so any more. */
  readonly comesBack: boolean;
  #shown: string[] = [];
  #isPlain = true;

  constructor(comesBack: boolean) {
    this.comesBack = comesBack;
  }

  /** Those of them that are in view, in order; null where the file alone does not tell: it is damaged, or lists what is in view. */
  get shown(): readonly string[] | null {
    return this.#isPlain ? this.#shown : null;
  }

  /** Takes what a record tells. */
  hear({ message, view, results = [] }: Telling): void {
    if (message && !this.all.has(message.id)) {
      this.all.add(message.id);
      if (message.at !== undefined) this.begun.set(message.id, message.at);
      this.#shown.push(message.id);
    }
    // A result without its call is a message that nothing in the file names.
    if (results.length > 0 || view?.type === 'list') this.miss();
    if (view?.type === 'compact') this.#shown.splice(0, Math.max(0, this.#shown.indexOf(view.from)));
    if (view?.type !== 'rewind') return;
    const index = this.#shown.indexOf(view.to);
    if (index < 0) this.miss();
    else this.#shown.splice(index);
  }

  /** Something in the file cannot be read: it may be a message. */
  miss(): void {
    this.#isPlain = false;
  }
}
