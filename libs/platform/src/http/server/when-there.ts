/** What is there, or comes. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, else when it comes. A promise costs each request some turns. */
export function whenThere<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
