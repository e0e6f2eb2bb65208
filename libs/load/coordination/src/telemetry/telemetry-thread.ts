import type { EdgeInstance } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import { Thread, workerUrl } from '#platform/threads';
import type {
  EdgeRow,
  SealedRun,
  TelemetryCalls,
  TelemetryEvents,
  TelemetryOpening,
  VerifiedRun,
  VerifyOrder,
} from './telemetry-messages.ts';

/** What has come is on its way to the disk, which may be slow. */
const END_MS_MAX = 60_000;

export interface TelemetryThreadEvents extends TelemetryEvents {
  /** The thread has ended without being asked to: what is on disk is whole, and nothing more is taken. */
  ended(error: Error): void;
}

/** The telemetry of one run, on a thread of its own. Expected failures are those of `TelemetryWriter`. */
export class TelemetryThread {
  readonly #thread: Thread<TelemetryCalls, TelemetryEvents>;

  static async open(opening: TelemetryOpening, events: TelemetryThreadEvents): Promise<TelemetryThread> {
    const thread = new TelemetryThread(events);
    try {
      await thread.#thread.call('open', [opening]);
    } catch (error) {
      await thread.#thread.terminate();
      throw error;
    }
    return thread;
  }

  private constructor(events: TelemetryThreadEvents) {
    this.#thread = new Thread({
      url: workerUrl('telemetry-worker', import.meta.url),
      listener: events,
      onBroken: (error) => {
        events.ended(error);
      },
      endedError: () => new DomainError('RUN_ENDED', 'the telemetry is closed'),
      endMsMax: END_MS_MAX,
    });
  }

  /** Resolves when the batch is on disk. The bytes are copied. */
  async append(edge: EdgeInstance, seq: number, bytes: Uint8Array): Promise<void> {
    const tables = new Uint8Array(bytes);
    await this.#thread.call('append', [edge, seq, tables], [tables.buffer]);
  }

  verify(order: VerifyOrder): Promise<VerifiedRun> {
    return this.#thread.call('verify', [order]);
  }

  seal(edges: readonly EdgeRow[]): Promise<SealedRun> {
    return this.#thread.call('seal', [edges]);
  }

  /** Also when nothing else works any more. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
