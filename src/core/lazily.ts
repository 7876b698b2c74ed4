/** Makes a value when it is first asked for: a process runs one command, and most of what it has loaded it never uses. */

/** Gives what `make` makes, which is called once. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A pattern, read by V8 when it is first needed. @param source as `RegExp` takes it */
export const lazyPattern = (source: string, flags = ''): (() => RegExp) => lazily(() => new RegExp(source, flags));
