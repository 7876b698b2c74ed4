/** Node's own modules, loaded when they are first needed, since a hook waits for each of them. */

/**
 * Returns one of Node's own modules. `createRequire` would load `node:module`, which brings along the loader of ES modules:
 * a twentieth of Node's own start (measured).
 */
export const builtIn = (name: string): unknown =>
  // Node before 20.16 has no `getBuiltinModule`; the shipped program is CommonJS.
  process.getBuiltinModule === undefined ? require(name) : process.getBuiltinModule(name);
