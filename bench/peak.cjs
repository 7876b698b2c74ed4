// Preloaded before ctx: when it ends, writes the most memory that it has held, in bytes, to the file that BENCH_PEAK names.
const { readFileSync, writeFileSync } = require('node:fs');

function peak() {
  try {
    // Linux counts what the parent held before the start into ru_maxrss; VmHWM is this program's alone.
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    if (match) return Number(match[1]) * 1024;
  } catch {
    // Not on Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}

process.on('exit', () => writeFileSync(process.env.BENCH_PEAK, String(peak())));
