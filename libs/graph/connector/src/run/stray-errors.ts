/**
 * Errors that the promise of a step does not report: of a promise that it did not await, or of a timer or
 * listener that it left behind. Node would end the process, and with it the service. Here they belong to the
 * step in whose asynchronous context they occur (ADR 0270); all others end the process as usual.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { InvariantViolation } from '#platform/foundation';
import { type OpenWork, WorkObserver } from './open-work.ts';

/** The owner of what happens in an asynchronous context. */
export interface ContextOwner {
  readonly onError: (error: unknown) => void;
  /** What was begun in the context, noted between `start` and `stop` of {@link workObserver}. */
  readonly open: OpenWork;
}

const owner = new AsyncLocalStorage<ContextOwner>();
let isWatching = false;

export const workObserver = new WorkObserver(() => owner.getStore()?.open);

/** Runs `work`. Its stray errors are passed to the owner, also those that occur after its end. */
export function owningErrors<T>(context: ContextOwner, work: () => T): T {
  watch();
  return owner.run(context, work);
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('unhandledRejection', assign);
  process.on('uncaughtException', assign);
}

/** Passes the error to its owner; without one, it is thrown again without these listeners. */
function assign(error: unknown): void {
  const context = owner.getStore();
  if (context !== undefined && !(error instanceof InvariantViolation)) {
    context.onError(error);
    return;
  }
  process.off('unhandledRejection', assign);
  process.off('uncaughtException', assign);
  isWatching = false;
  process.nextTick(() => {
    throw error;
  });
}
