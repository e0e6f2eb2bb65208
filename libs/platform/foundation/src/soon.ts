/** A value that is there already, or will be. */
export type Soon<T> = T | Promise<T>;

/** Goes on with the value: at once where it is there, so that what needs no waiting has none. */
export function whenThere<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
