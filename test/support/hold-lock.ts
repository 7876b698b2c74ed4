/** Takes the lock that its argument names, says so, and holds it until it is killed. Started by the tests of locks. */
import { uuidSource } from '../../src/platform/ids.ts';
import { takeLock } from '../../src/platform/lock.ts';

takeLock({ path: process.argv[2] as string, wait: 0, ids: uuidSource(), durability: { fsync: false } });
process.stdout.write('held\n');
setInterval(() => undefined, 1_000_000);
