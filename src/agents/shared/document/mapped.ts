/** What is made of things one by one, holding none of them: a generator would hold each while what it has made of it is used. */

/** Each as it is asked for. */
export function mapped<From, To>(things: Iterable<From>, make: (thing: From) => To): Iterable<To> {
  return {
    [Symbol.iterator]: (): Iterator<To, undefined> => {
      const from = things[Symbol.iterator]();
      return {
        next: () => {
          const step = from.next();
          return step.done === true ? { done: true, value: undefined } : { done: false, value: make(step.value) };
        },
        return: () => {
          from.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
