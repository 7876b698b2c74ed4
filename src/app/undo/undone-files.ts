/** Takes back what rewinds did to the files: of several, the last one first, and all of them at once. */
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { beginWorld, joinPlans, planWorldBack, type Trees, type WorldPlan, type WorldResult } from '../world/world.ts';

/** The restore of the files that an undo makes. */
export class FilesBack {
  readonly #repository: Repository;
  #plan: WorldPlan | null = null;
  /** The first act that is recorded with a change of files, and its session. */
  #first: { act: string; session: string } | null = null;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Plans to take back one change of the files, behind those that were planned before. A failure is said, and the conversation goes back
   * without the files.
   * @param act the act that is recorded for it
   * @returns the trees before and after; null if no file changes
   */
  takeBack(world: Trees, act: string, session: string): Trees | null {
    if (world.from === world.to) return null;
    try {
      const plan = planWorldBack(this.#repository, world, false, this.#plan);
      this.#plan = this.#plan ? joinPlans(this.#plan, plan) : plan;
      this.#first ??= { act, session };
      return plan.trees;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      this.#repository.notices.push(`The files stay as they are: ${error.message}`);
      return null;
    }
  }

  /** Makes ready what was planned. @returns a function that restores the files; null if nothing was planned */
  begin(): (() => WorldResult) | null {
    if (!this.#plan || !this.#first) return null;
    return beginWorld(this.#repository, this.#plan, this.#first.act, this.#first.session);
  }
}
