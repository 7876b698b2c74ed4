/** The name of a rollout: `rollout-<time>-<thread>.jsonl`; behind the thread may be the id of a segment, and `.zst` where Codex has compressed it. */
import type { Others } from '../contract/agent.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The path of a rollout, with slashes; the first group is the thread, the second the segment. */
export const ROLLOUT = new RegExp(`/rollout-[^/]+?-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`);

/** Whether a file is a rollout, by its name. */
export const isRollout = (name: string): boolean => /^rollout-.*\.jsonl(?:\.zst)?$/.test(name);

/** Milliseconds since 1970 that an id of version 7 begins with; undefined where it is another. */
export function timeInId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

const PLACE = /^(.*)\/(?:sessions\/(\d+)\/(\d+)\/(\d+)|archived_sessions)\/[^/]+$/;
const DAY = 86_400_000;
/** Most days that are looked through one by one. */
const MOST_DAYS = 400;

/** The folder of a day, as its rollouts lie in it. */
const dayFolder = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '/');

/**
 * The first rollout of a thread has the thread's id, each later segment an id of its own; what one goes on from may also be
 * named by the thread: that is its latest rollout before this one.
 */
function rank(name: string, from: string, id: string): string | null {
  const [, thread, segment] = ROLLOUT.exec(`/${name}`) ?? [];
  const [, ownThread, ownSegment] = ROLLOUT.exec(`/${from}`) ?? [];
  if (thread === undefined || (thread === ownThread && segment === ownSegment)) return null;
  const isBefore = thread === id && thread === ownThread && timeOf(name) < timeOf(from);
  return isBefore || (segment ?? thread) === id ? timeOf(name) : null;
}

/** The time in a name, which sorts. */
const timeOf = (name: string): string => name.slice('rollout-'.length, 'rollout-2026-01-01T00-00-00'.length);

export const rollouts: Others = {
  rank,
  likely: (path, id) => {
    const own = path.slice(0, path.lastIndexOf('/'));
    const [, home, year, month, day] = PLACE.exec(path) ?? [];
    const time = timeInId(id);
    if (home === undefined || time === undefined) return [own];
    const until = Math.max(Date.UTC(Number(year), Number(month) - 1, Number(day)) || 0, time) + DAY;
    // A folder has the local date.
    const count = Math.min(MOST_DAYS, Math.ceil((until - time) / DAY) + 2);
    const days = Array.from({ length: count }, (_, index) => `${home}/sessions/${dayFolder(time + (index - 1) * DAY)}`);
    return [...new Set([own, ...days, `${home}/archived_sessions`])];
  },
  roots: (path) => {
    const [, home] = PLACE.exec(path) ?? [];
    return home === undefined ? [] : [`${home}/sessions`];
  },
};
