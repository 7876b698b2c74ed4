/** Takes back what rewinds did to the files: of several, the last one first, and all of them at once. */
import type { WorldChange } from '../../core/conversation/conversation.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import {
  beginWorld,
  joinPlans,
  planChangeBack,
  planWorldBack,
  type WorldPlan,
  type WorldResult,
} from '../world/world.ts';

/** The restore of the files that an undo makes. */
export class FilesBack {
  readonly #repository: Repository;
  #plan: WorldPlan | null = null;
  /** The last restore that a host has made. */
  #byHost: WorldResult | null = null;
  /** The first act that is recorded with a change of files, and its session. */
  #first: { act: string; session: string } | null = null;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Plans to take back one change of the files, behind those that were planned before. A failure is said, and the conversation goes back
   * without the files. A host restores at once.
   * @param act the act that is recorded for it
   * @returns the change as it is recorded; null if no file changes
   */
  takeBack(change: WorldChange, act: string, session: string): WorldChange | null {
    const { from, to, by } = change;
    if (from === to) return null;
    try {
      if (from === undefined || by === 'host') return this.#hostBack(change, act, session);
      const plan = planWorldBack(this.#repository, { from, to }, false, this.#plan);
      this.#plan = this.#plan ? joinPlans(this.#plan, plan) : plan;
      this.#first ??= { act, session };
      return plan.trees;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      this.#repository.notices.push(`The files stay as they are: ${error.message}`);
      return null;
    }
  }

  #hostBack(change: WorldChange, act: string, session: string): WorldChange | null {
    const plan = planChangeBack(this.#repository, change, false);
    if (plan === null) return null;
    const { world, restore } = beginWorld(this.#repository, plan, act, session);
    this.#byHost = restore();
    return world;
  }

  /** Makes ready what was planned. @returns a function that restores the files; null if nothing was planned */
  begin(): (() => WorldResult) | null {
    const done = this.#byHost;
    if (!this.#plan || !this.#first) return done && (() => done);
    return beginWorld(this.#repository, this.#plan, this.#first.act, this.#first.session).restore;
  }
}
