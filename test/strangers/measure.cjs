// Preload (`node -r`): says at the end how much memory the process needed at most, in KiB.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');

/** Of this program alone: what getrusage tells begins with the memory of the process that started it. */
function peak() {
  try {
    return /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1];
  } catch {
    return String(process.resourceUsage().maxRSS);
  }
}

process.on('exit', () => {
  try {
    if (process.env.STRANGER_REPORT) writeFileSync(process.env.STRANGER_REPORT, peak());
  } catch {
    // A program that runs as another user may not write there: an exception here would change its exit code.
  }
});
