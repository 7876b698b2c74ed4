/** The name of a rollout: `rollout-<time>-<thread>.jsonl`, perhaps with the id of a segment after the thread, and `.zst` if it is compressed. */
import type { Others } from '../contract/agent.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The path of a rollout, with slashes; the first group is the thread, the second the segment. */
export const ROLLOUT = new RegExp(`/rollout-[^/]+?-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`);

/** Returns whether a file is a rollout, by its name. */
export const isRollout = (name: string): boolean => /^rollout-.*\.jsonl(?:\.zst)?$/.test(name);

/** Returns the milliseconds since 1970 in an id of version 7; undefined for another id. */
export function timeInId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

const PLACE = /^(.*)\/(?:sessions\/(\d+)\/(\d+)\/(\d+)|archived_sessions)\/[^/]+$/;
const DAY = 86_400_000;
/** The number of days that are searched one by one. */
const MOST_DAYS = 400;

/** Returns the folder with the rollouts of a day. */
const dayFolder = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '/');

/**
 * Returns the rank of a rollout as the base of another one. The first rollout of a thread has the thread's id, each later segment
 * an id of its own; a base may also be named by the thread: then it is the latest rollout of it before this one.
 */
function rank(name: string, from: string, id: string): string | null {
  const [, thread, segment] = ROLLOUT.exec(`/${name}`) ?? [];
  const [, ownThread, ownSegment] = ROLLOUT.exec(`/${from}`) ?? [];
  if (thread === undefined || (thread === ownThread && segment === ownSegment)) return null;
  const isBefore = thread === id && thread === ownThread && timeOf(name) < timeOf(from);
  return isBefore || (segment ?? thread) === id ? timeOf(name) : null;
}

/** Returns the time in a name, which sorts. */
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
