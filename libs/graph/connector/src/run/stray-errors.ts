/**
 * Errors that the promise of a step does not report: of a promise that it did not await, or of a timer or
 * listener that it left behind. Node would end the process, and with it the service. Here they belong to the
 * step in whose asynchronous context they occur (ADR 0241); all others end the process as usual.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { InvariantViolation } from '#platform/foundation';

type ErrorListener = (error: unknown) => void;

const owner = new AsyncLocalStorage<ErrorListener>();
let isWatching = false;

/** Runs `work`. Its stray errors are passed to `listener`, also those that occur after its end. */
export function owningErrors<T>(listener: ErrorListener, work: () => T): T {
  watch();
  return owner.run(listener, work);
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('unhandledRejection', assign);
  process.on('uncaughtException', assign);
}

/** Passes the error to its owner; without one, it is thrown again without these listeners. */
function assign(error: unknown): void {
  const listener = owner.getStore();
  if (listener !== undefined && !(error instanceof InvariantViolation)) {
    listener(error);
    return;
  }
  process.off('unhandledRejection', assign);
  process.off('uncaughtException', assign);
  isWatching = false;
  process.nextTick(() => {
    throw error;
  });
}
