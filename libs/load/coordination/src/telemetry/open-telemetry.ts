import type { Check } from '#load/oracle';
import type { EdgeInstance } from '#load/telemetry';
import { type Disk, NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { Thread } from '#platform/threads';
import {
  type EdgeRow,
  type SealedRun,
  TELEMETRY_WORKER,
  type TelemetryCalls,
  type TelemetryEvents,
  type TelemetryOpening,
  type VerifiedRun,
  type VerifyOrder,
} from './telemetry-messages.ts';

/** Allows received batches to reach a slow disk. */
const END_MS_MAX = 60_000;

export interface TelemetryListener extends TelemetryEvents {
  /** The thread ended unexpectedly. */
  broken(error: Error): void;
}

/** The telemetry of one run, wherever it is written. */
export interface OpenTelemetry {
  /** Appends the tables; the bytes are copied. */
  append(edge: EdgeInstance, seq: number, tables: Uint8Array): Promise<void>;
  verify(order: VerifyOrder): Promise<VerifiedRun>;
  seal(edges: readonly EdgeRow[]): Promise<SealedRun>;
  close(): Promise<void>;
}

/**
 * On a thread of its own; on the calling one for a disk other than that of the machine, which a thread cannot
 * reach.
 */
export async function openTelemetry(
  disk: Disk,
  opening: TelemetryOpening,
  listener: TelemetryListener,
): Promise<OpenTelemetry> {
  if (disk instanceof NodeDisk) return openThread(opening, listener);
  const { JudgedTelemetry } = await import('./judged-telemetry.ts');
  const counts: Record<Check, number> = { nonce: 0, balance: 0, gas: 0 };
  return JudgedTelemetry.open(disk, opening, (check) => {
    counts[check]++;
    listener.violations({ ...counts });
  });
}

async function openThread(opening: TelemetryOpening, listener: TelemetryListener): Promise<OpenTelemetry> {
  const thread = new Thread<TelemetryCalls, TelemetryEvents>({
    url: TELEMETRY_WORKER,
    listener: { violations: (counts) => listener.violations(counts) },
    onBroken: (error) => listener.broken(error),
    endedError: () => new DomainError('RUN_ENDED', 'the telemetry is closed'),
    endMsMax: END_MS_MAX,
  });
  try {
    await thread.call('open', [opening]);
  } catch (error) {
    await thread.terminate();
    throw error;
  }
  return {
    append: async (edge, seq, tables) => {
      const bytes = new Uint8Array(tables);
      await thread.call('append', [edge, seq, bytes], [bytes.buffer]);
    },
    verify: (order) => thread.call('verify', [order]),
    seal: (edges) => thread.call('seal', [edges]),
    close: () => thread.close(),
  };
}
