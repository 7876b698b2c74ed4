/** The plugin that ctx puts into opencode: it passes events on to ctx, and what ctx says on to the model. */
import { TELLING } from '../shared/own-file.ts';
import { FIRST } from './plugin-first.ts';
import { SECOND } from './plugin-second.ts';
import { SESSIONS } from './plugin-sessions.ts';

/**
 * One file for both generations: opencode 1 calls `server` of what is exported, opencode 2 takes only an object that has an `id` and
 * a `setup`. Nothing else is exported, since the first versions of opencode 1 call all that is.
 */
export const PLUGIN = `${TELLING}
/** Stands for that opencode 1 runs here: it may load the plugin a second time, as opencode 2 does. */
const RUNS_IN_FIRST = Symbol.for("ctx.runs-in-opencode-1");
${SESSIONS}${FIRST}${SECOND}
export default { id: "ctx", server, setup };
`;
