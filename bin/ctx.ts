/** The program `ctx`. Everything is written by the time `main` is done: nothing is left to wait for. */
import { main } from '../src/cli/main.ts';

void main(process.argv.slice(2)).then((code) => process.exit(code));
