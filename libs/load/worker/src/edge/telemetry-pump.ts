import type { HiveUplink } from '#load/protocol';
import type { EventBuffer } from '#load/telemetry';

export interface TelemetryPumpOptions {
  readonly runId: string;
  readonly events: EventBuffer;
  readonly hive: HiveUplink;
  readonly flushMs: number;
}

/**
 * Hands the events of a run to the hive, every few milliseconds. While the hive takes no more they stay in
 * the buffer, which drops what it cannot hold; sending is never held up.
 */
export class TelemetryPump {
  readonly #options: TelemetryPumpOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: TelemetryPumpOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#push();
    }, options.flushMs);
  }

  /** Resolves when the hive has answered for every event. Rejects when the uplink ends before. */
  async flush(): Promise<void> {
    const { hive, events, runId } = this.#options;
    while (events.eventCount > 0) {
      await hive.room();
      if (!hive.hasRoom) break;
      this.#push();
    }
    await hive.flushed(runId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #push(): void {
    const { hive, events, runId } = this.#options;
    while (hive.hasRoom) {
      const batch = events.takeBatch();
      if (batch === undefined) return;
      hive.pushTelemetry({ runId, eventCount: batch.eventCount, tables: batch.bytes });
    }
  }
}
