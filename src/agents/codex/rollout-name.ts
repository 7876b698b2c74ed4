/** The name of a rollout: `rollout-<time>-<thread>.jsonl`; behind the thread stands the id of a later segment, and `.zst` where Codex has compressed it. */

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The path of a rollout, with slashes; the first group is the thread, the second the segment. */
export const ROLLOUT = new RegExp(`/rollout-[^/]+?-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`);

/** Whether a file is a rollout, by its name. */
export const isRollout = (name: string): boolean => /^rollout-.*\.jsonl(?:\.zst)?$/.test(name);
