/** The thread that writes one run's telemetry and passes it to the oracle. */
import type { Check } from '#load/oracle';
import { NodeDisk } from '#platform/disk';
import { assert } from '#platform/foundation';
import { type Parent, serveThread } from '#platform/threads';
import { JudgedTelemetry } from './judged-telemetry.ts';
import type { TelemetryCalls, TelemetryEvents } from './telemetry-messages.ts';

/** Counts violations, and posts the totals at most once per turn of the event loop. */
class ViolationCounts {
  readonly #parent: Parent<TelemetryEvents>;
  readonly #counts: Record<Check, number> = { nonce: 0, balance: 0, gas: 0 };
  #isReporting = false;

  constructor(parent: Parent<TelemetryEvents>) {
    this.#parent = parent;
  }

  add(check: Check): void {
    this.#counts[check]++;
    if (this.#isReporting) return;
    this.#isReporting = true;
    setImmediate(() => {
      this.#isReporting = false;
      this.#parent.emit('violations', [{ ...this.#counts }]);
    });
  }
}

serveThread<TelemetryCalls, TelemetryEvents>((_setup, parent) => {
  const violations = new ViolationCounts(parent);
  let telemetry: JudgedTelemetry | undefined;
  const opened = (): JudgedTelemetry => {
    assert(telemetry !== undefined, 'open comes first');
    return telemetry;
  };
  return {
    calls: {
      open: async (opening) => {
        telemetry = await JudgedTelemetry.open(new NodeDisk(), opening, (check) => {
          violations.add(check);
        });
      },
      append: (edge, seq, tables) => opened().append(edge, seq, tables),
      verify: (order) => opened().verify(order),
      seal: (edges) => opened().seal(edges),
    },
    close: () => telemetry?.close(),
  };
});
