/** Node's own modules, loaded where they are first needed: a hook would wait for each. */

/**
 * One of Node's own modules. `createRequire` would load `node:module` for it, which brings the loader of ES modules along:
 * a twentieth of Node's own start (measured).
 */
export const builtIn = (name: string): unknown =>
  // Node before 20.16 has no such function; what is shipped is CommonJS.
  process.getBuiltinModule === undefined ? require(name) : process.getBuiltinModule(name);
