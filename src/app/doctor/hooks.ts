/** Examines the hooks: their places, whether the agent runs them, their last events, and their failures. */
import { agentNamed, hookSettings } from '../../agents/index.ts';
import { durationInWords, plural, quoted } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { readHookErrors } from '../../history/store/hook-errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { lastEventOf } from '../intake/conversation.ts';
import { forgottenConversations } from '../redaction/forgotten-conversations.ts';
import { openSession } from '../session/active.ts';
import { isUsed, type Surroundings } from '../setup/hook-places.ts';
import { type HookOptions, type HookStatus, statusOfAgentHooks } from '../setup/hooks.ts';
import { disabledHooks } from '../setup/hooks-switch.ts';
import { everySource } from '../transcript/source.ts';
import { type DoctorFinding, note, ok, problem } from './finding.ts';
import { lookAtReview } from './review.ts';

/** Examines both places of every agent that is used here. */
export function* lookAtHooks(options: HookOptions): Generator<DoctorFinding> {
  const all = statusOfAgentHooks(options).filter(({ used }) => used);
  if (all.length === 0) yield note('hooks', 'None of the agents that ctx knows is used here.', 'ctx hooks status');
  for (const agent of new Set(all.map((status) => status.agent))) {
    const places = all.filter((status) => status.agent === agent);
    const standing = places.filter(({ state }) => state !== 'none');
    if (standing.length === 0) {
      const title = places[0]?.title ?? agent;
      yield problem(
        'hooks',
        `ctx is not in the hooks of ${title}: it remembers nothing by itself.`,
        `ctx hooks install ${agent}`,
      );
    }
    for (const status of standing) yield* lookAtPlace(status, options);
    if (standing.length > 0) yield* lookAtSwitch(agent, options);
    if (standing.filter(({ state }) => state !== 'unreadable').length > 1) {
      const [first] = standing as [HookStatus];
      const message = `The hooks of ${first.title} are in the project and in your home folder: each event arrives twice.`;
      yield problem('hooks', message, `ctx hooks uninstall ${agent} --project`);
    }
  }
}

function* lookAtPlace(status: HookStatus, options: Surroundings): Generator<DoctorFinding> {
  const { agent, title, scope, file, state } = status;
  const install = `ctx hooks install ${agent} --${scope}`;
  if (state === 'unreadable') {
    yield problem('hooks', `${title}: ${status.problem}`, `Correct the file, then: ${install}`);
    return;
  }
  if (state === 'outdated') yield problem('hooks', `${title}: the line in ${file} is not that of this ctx.`, install);
  if (state === 'partly') yield problem('hooks', `${title}: some of the hooks are missing in ${file}.`, install);
  if (state === 'changed')
    yield problem('hooks', `${title}: somebody has changed ${file}.`, `Move the file away, then: ${install}`);
  if (state === 'current') yield ok('hooks', `${title}: installed in ${file}`);
  yield* lookAtReview(status, options);
}

function* lookAtSwitch(name: string, around: Surroundings): Generator<DoctorFinding> {
  const agent = agentNamed(name)?.hooks?.settings();
  const off = agent && disabledHooks(agent, around);
  if (off) yield problem('hooks', `${agent.title}: all hooks are switched off in ${off.file}.`, off.remedy);
}

/** Returns the time of the last event of each agent, in Unix seconds: by a hook, or else by its transcript. */
function lastEvents(repository: Repository): Map<string, { at: number; byHook: boolean }> {
  const last = new Map<string, { at: number; byHook: boolean }>();
  for (const { source, session, head, open } of everySource(repository)) {
    const { agent, agent_session_id: agent_session } = source;
    const event = lastEventOf(repository, { agent, agent_session });
    const ref = sessionRef(session.session_id);
    // Most tools only leave a pending record.
    const active = open ? openSession(repository, ref, head).last_activity : session.last_activity;
    const told = { at: Math.max(event ?? 0, active), byHook: event !== null };
    const before = last.get(agent);
    if (
      !before ||
      Number(before.byHook) < Number(told.byHook) ||
      (before.byHook === told.byHook && before.at < told.at)
    ) {
      last.set(agent, told);
    }
  }
  return last;
}

/** Returns the names of the agents from which an event has come by a hook. */
export const agentsHeard = (repository: Repository): ReadonlySet<string> =>
  new Set([...lastEvents(repository)].flatMap(([agent, { byHook }]) => (byHook ? [agent] : [])));

/** Reports the last event of each agent, and failures of hooks since. */
export function* lookAtEvents(repository: Repository, around: Surroundings): Generator<DoctorFinding> {
  const last = lastEvents(repository);
  const forgotten = forgottenConversations(repository);
  const now = repository.clock();
  const when = (at: number): string => `${showTime(at)} (${durationInWords(Math.max(0, now - at))} ago)`;
  for (const hooks of hookSettings()) {
    const { agent, title } = hooks;
    const event = last.get(agent);
    const gone = forgotten.findLast((one) => one.agent === agent);
    if (!event && !gone && !isUsed(hooks, around)) continue;
    // A later event belongs to another conversation, which is kept.
    if (gone && gone.forgotten_at >= (event?.at ?? 0)) {
      const message = `${title}: its conversation was forgotten at ${when(gone.forgotten_at)}, and no turn of that is kept.`;
      yield note('events', message, `Begin a new conversation in ${title}: that is kept.`);
    } else if (!event) yield note('events', `${title}: nothing has come from it yet.`);
    if (event)
      yield ok('events', `${title}: last ${event.byHook ? 'event' : 'heard of, by its transcript,'} ${when(event.at)}`);
  }
  const errors = readHookErrors(repository);
  for (const agent of new Set(errors.map((error) => error.agent))) {
    const own = errors.filter((error) => error.agent === agent);
    const latest = own.at(-1) as (typeof own)[number];
    const event = last.get(agent);
    const message = `${agent}: ${plural(own.length, 'hook')} failed, the last one ${when(latest.at)}: ${latest.message}`;
    // The command reads what was missed, and then removes the failures.
    const hint = `ctx capture catch-up && rm ${quoted(repository.layout.hookErrors)}`;
    // A failure that is followed by an event has passed.
    const isOver = event?.byHook === true && event.at > latest.at;
    yield isOver ? note('failures', message, hint) : problem('failures', message, hint);
  }
}
