/** `npm run torture`: kills, full disks, power loss, crowds and damage; prints tables of figures and fails on any loss. */
import { parseArgs } from 'node:util';
import { torture } from './torture.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    full: { type: 'boolean' },
    part: { type: 'string' },
    only: { type: 'string' },
    write: { type: 'boolean' },
  },
});
const { quick, full, ...options } = values;
if (quick && full) throw new Error('--quick or --full, not both');
process.exitCode = await torture({ size: full ? 'full' : 'quick', ...options });
