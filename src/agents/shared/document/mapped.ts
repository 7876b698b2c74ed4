/** A lazy map over an iterable that holds no element: a generator would hold each one while its result is used. */

/** Returns the results of a function, each made when it is asked for. */
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
