/** The rules for words that would end or start a task, and only answer what the agent had asked. */

import {
  asksOfDeed,
  givesReason,
  givesUpAsked,
  isNamedTopic,
  isOfAll,
  isWordAsked,
  namesAsked,
  offersExtra,
  refusesAsked,
  stopsAsked,
} from './agent-question.ts';
import { leavesAsked, mayLeaveAsked } from './agent-question-object.ts';
import { announcedTask } from './announced-task.ts';
import { isOnly, type View } from './message-view.ts';
import { isFinished, quote, type Rule, waits } from './rule.ts';
import { ENDINGS } from './rules-endings.ts';

/** Returns whether a message has a clause that can end a task. Few messages have one, and the others need no look at the rules. */
const hasEnding = ({ clauses }: View): boolean =>
  clauses.some(({ kind, opening }) => kind === 'stop' || kind === 'dismiss' || opening === 'dismiss');
/** Returns whether a message would end the task if the agent had asked nothing. */
const isEnding = (view: View): boolean =>
  hasEnding(view) && ENDINGS.some((rule) => rule.classification === 'Abandon' && rule.fits(view));
const isAsked = (view: View): boolean => waits(view) && view.lastMessage !== '';

/** An answer is one before it is anything else. */
export const ASKED: readonly Rule[] = [
  {
    name: 'named in the question',
    prior: 0.9,
    classification: 'Response',
    fits: (view) => isAsked(view) && isEnding(view) && namesAsked(view),
    reason: (view) => `The agent had asked just that, and it says ${quote(view)}.`,
  },
  {
    name: 'leave refused',
    prior: 0.85,
    classification: 'Response',
    fits: (view) => isAsked(view) && isEnding(view) && stopsAsked(view),
    reason: (view) => `The agent had asked what it may do, and it says ${quote(view, 'stop', 'dismiss')}.`,
  },
  {
    name: 'offer refused',
    prior: 0.85,
    classification: 'Response',
    fits: (view) => isAsked(view) && isEnding(view) && refusesAsked(view),
    reason: (view) => `It says ${quote(view)} to what the agent had asked, and not to the task.`,
  },
  {
    name: 'thing left',
    prior: 0.85,
    classification: 'Response',
    fits: (view) => isAsked(view) && isEnding(view) && leavesAsked(view),
    reason: (view) =>
      `It says ${quote(view, 'stop', 'dismiss')} of what the agent had asked about, and not of the task.`,
  },
  {
    name: 'task or thing left',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) => waits(view) && isEnding(view) && mayLeaveAsked(view),
    reason: (view) => `It says ${quote(view, 'stop', 'dismiss')}: the task, or only what the agent had asked about?`,
  },
  {
    name: 'no more wanted',
    prior: 0.75,
    classification: 'Confirmation',
    fits: (view) => isFinished(view) && isEnding(view) && offersExtra(view) && refusesAsked(view) && !givesReason(view),
    reason: (view) => `The work was finished, and it says ${quote(view)} to what the agent had offered.`,
  },
  {
    name: 'stopped at an offer',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) => {
      if (!isEnding(view) || isOfAll(view)) return false;
      if (isFinished(view)) return offersExtra(view) && refusesAsked(view);
      const isStop = isOnly(view, 'stop', 'hold', 'yes', 'thanks');
      const isOffered = isStop && (offersExtra(view) || asksOfDeed(view));
      return isAsked(view) && (isOffered || isWordAsked(view) || givesUpAsked(view));
    },
    reason: (view) => `It says ${quote(view)}: the task, or only what the agent had asked about?`,
  },
  {
    name: 'topic in the question',
    prior: 0.85,
    classification: 'Response',
    fits: (view) => {
      if (!isAsked(view)) return false;
      const topic = announcedTask(view);
      return topic !== undefined && isNamedTopic(view, topic);
    },
    reason: (view) => `The agent had asked just that, and it says ${quote(view, 'topic')}.`,
  },
];
