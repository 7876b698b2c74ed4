// Writes down, as a process ends, which functions of which file have run: for `reach.ts`, which preloads it.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    writeFileSync(process.env.CTX_REACH, JSON.stringify(result));
  });
});
