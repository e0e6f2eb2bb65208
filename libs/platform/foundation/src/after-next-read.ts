/**
 * Runs after pending input is read. Timers run before network events: a delayed process would otherwise close
 * connections whose requests have already arrived.
 */
export function afterNextRead(run: () => void): void {
  setImmediate(() => setImmediate(run));
}
