// Preload (`node -r`): says at the end how much memory the process needed at most, in KiB.
'use strict';
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  if (process.env.STRANGER_REPORT) writeFileSync(process.env.STRANGER_REPORT, String(process.resourceUsage().maxRSS));
});
