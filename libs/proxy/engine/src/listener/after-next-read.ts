/**
 * Runs when what has come by now is read. Timers run before the network is looked at: who was held up for a
 * while would close connections on which requests are waiting.
 */
export function afterNextRead(run: () => void): void {
  setImmediate(() => setImmediate(run));
}
