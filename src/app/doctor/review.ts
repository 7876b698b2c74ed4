/** Examines an agent that does not run every hook: whether it trusts the project, and which hooks the user has passed. */
import { join } from 'node:path';
import type { AgentHooks, Review } from '../../agents/contract/hook-settings.ts';
import { agentNamed } from '../../agents/index.ts';
import { readSettings } from '../../agents/shared/settings.ts';
import { isHookLine } from '../../core/hook-line.ts';
import { isObject, type JsonValue } from '../../core/json.ts';
import { plural } from '../../core/text.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { type Surroundings, userFolder } from '../setup/hook-places.ts';
import type { HookStatus } from '../setup/hooks.ts';
import { reviewOf } from '../setup/project-trust.ts';
import { type DoctorFinding, note, problem } from './finding.ts';

/** Reports what the agent's own settings, or its environment, say about the hooks at a place. */
export function* lookAtReview(
  { agent: name, scope, file }: HookStatus,
  around: Surroundings,
): Generator<DoctorFinding> {
  const agent = agentNamed(name)?.hooks?.settings();
  if (!agent?.review) return;
  const { title, installation, review: place } = agent;
  const told = toldBy(agent, file, around);
  if (told === null) return;
  if (typeof told === 'string') {
    const settings = place.files.map((each) => join(userFolder(agent, around) ?? '', each)).join(', ');
    const message = `${title}: ${settings}, ${told}. So ctx does not know which hooks it runs.`;
    yield problem('hooks', message, `Correct ${settings}`);
    return;
  }
  if (scope === 'project' && told.trusted !== true) {
    const message = `${title}: its settings do not say that this project is trusted, and it runs no hook of any other.`;
    yield problem('hooks', message, place.remedy);
  }
  if (told.events === null || installation.as !== 'settings') return;
  const passed = new Set(told.events);
  const own = ownHooks(file).filter((hook) => passed.has(hook.place));
  const run = installation.events.filter(({ event }) => own.some((hook) => hook.event === event));
  yield lookAtPassed(title, run.length, installation.events.length, place.remedy);
}

/** Returns the review; a string says why it cannot be read. */
function toldBy(agent: AgentHooks, hooks: string, around: Surroundings): Review | string | null {
  try {
    return reviewOf(agent, hooks, around);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/**
 * Returns the positions of ctx's hooks in a file, as a review names them: other hooks may precede them, or share a
 * group.
 */
function ownHooks(file: string): { event: string; place: string }[] {
  const text = readLinkedIfThere(file)?.toString('utf8') ?? '';
  const settings = readSettings(text.replace(/^\ufeff/, ''));
  const hooks = isObject(settings) && isObject(settings['hooks']) ? settings['hooks'] : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, groupIndex) =>
      listOf(isObject(group) ? group['hooks'] : undefined).flatMap((hook, index) =>
        isObject(hook) && isHookLine(String(hook['command']))
          ? [{ event, place: `${event}:${groupIndex}:${index}` }]
          : [],
      ),
    ),
  );
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

/** Reports, for an agent that runs only hooks which the user has passed, how many they are. */
function lookAtPassed(title: string, count: number, all: number, remedy: string): DoctorFinding {
  const passed = `${count} of ${plural(all, 'hook')}`;
  if (count < all)
    return problem('hooks', `${title}: you have passed ${passed}; it skips the others without a word.`, remedy);
  const message = `${title}: you have passed ${passed}. Whether before their last change, only ${title} knows.`;
  return note('hooks', message, 'See there: /hooks');
}
