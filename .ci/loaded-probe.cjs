// Writes down, as a process ends, which files the program has loaded: `hot-commands.mjs` preloads it.
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

const loaded = [];
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    loaded.push(options.filename);
  }
};
process.on('exit', () => writeFileSync(process.env.CTX_LOADED, JSON.stringify(loaded)));
