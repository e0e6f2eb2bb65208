import { CHECKS, type Check, type EdgeOutcome } from '#load/oracle';
import type { ReceivedBatch } from '#load/protocol';
import type { Compression, EdgeInstance } from '#load/telemetry';
import type { Disk } from '#platform/disk';
import { DomainError, type ErrorCode } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { RunReason } from '../record/run-state.ts';
import { type OpenTelemetry, openTelemetry } from '../telemetry/open-telemetry.ts';
import type { ChainAddress, EdgeRow, VerifiedRun } from '../telemetry/telemetry-messages.ts';
import { mayBePaid } from './contract-plans.ts';
import type { Run } from './run.ts';

const US_PER_MS = 1_000;

/** The reason with which a run fails if its telemetry cannot be written. */
const WRITE_FAILURES: { readonly [Code in ErrorCode]?: RunReason } = {
  NO_DISK_SPACE: 'no_disk_space',
  STORE_UNAVAILABLE: 'telemetry_failed',
};

export interface TelemetryPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly compression: Compression;
}

/** The telemetry of one run, which is opened on first use. */
export class RunTelemetry {
  readonly #run: Run;
  readonly #place: TelemetryPlace;
  readonly #log: Log;
  #open: Promise<OpenTelemetry> | undefined;

  constructor(run: Run, place: TelemetryPlace, log: Log) {
    this.#run = run;
    this.#place = place;
    this.#log = log;
  }

  /** Opens new or existing telemetry. Rejects with NO_DISK_SPACE, STORE_UNAVAILABLE, STORE_CORRUPT. */
  async open(): Promise<void> {
    await this.#opened();
  }

  /**
   * Resolves when the batch is on disk. Rejects as `TelemetryWriter.append` does; a write failure also fails
   * the run. The bytes are copied.
   */
  async append(edge: EdgeInstance, { seq, tables }: ReceivedBatch): Promise<void> {
    if (this.#open === undefined) throw new DomainError('RUN_ENDED', 'the run does not accept telemetry');
    try {
      await (await this.#open).append(edge, seq, tables);
    } catch (error) {
      const reason = error instanceof DomainError ? WRITE_FAILURES[error.code] : undefined;
      const isKnown = this.#run.state.ending?.status === 'Failed';
      if (reason !== undefined && !isKnown) this.#run.happened({ type: 'broken', reason });
      throw error;
    }
  }

  /** Verifies the run; evidence of balance violations is looked up on the chain, if given. */
  async verify(chain: ChainAddress | null): Promise<VerifiedRun> {
    const outcomes = edgeOutcomes(this.#run);
    return (await this.#opened()).verify({ chain, outcomes });
  }

  /** Completes the files, and closes. */
  async seal(): Promise<void> {
    const telemetry = await this.#opened();
    const { parts } = await telemetry.seal(edgeRows(this.#run));
    this.#run.learned({ type: 'sealed', parts });
    await this.close();
  }

  /** Closes the writer, also after a failure. */
  async close(): Promise<void> {
    const telemetry = await this.#open?.catch(() => undefined);
    await telemetry?.close();
  }

  #opened(): Promise<OpenTelemetry> {
    if (this.#open !== undefined) return this.#open;
    const { scenario } = this.#run;
    const { oracle, correlation, target } = scenario;
    const { disk, directory, compression } = this.#place;
    const opening = {
      directory,
      compression,
      accountCounts: this.#run.accountCounts(),
      hasFeed: correlation.feed === 'per_edge',
      mayBePaid: mayBePaid(scenario),
      tips: target.tips,
      checks: CHECKS.filter((check: Check) => oracle[check]),
    };
    const telemetry = openTelemetry(disk, opening, {
      violations: (counts) => this.#run.learned({ type: 'violated', counts }),
      broken: (error) => this.#breakOff(error),
    });
    // The next call tries again.
    telemetry.catch(() => (this.#open = undefined));
    this.#open = telemetry;
    return telemetry;
  }

  /** The thread ended unexpectedly: the data on disk is intact, and no further batches are accepted. */
  #breakOff(error: Error): void {
    const fields = { event: 'telemetry.ended', err: error, run_id: this.#run.runId };
    this.#log.error(fields, 'telemetry thread ended unexpectedly');
    this.#run.happened({ type: 'broken', reason: 'telemetry_failed' });
  }
}

/** The outcome of each edge: an edge that is not done counts as lost. */
function edgeOutcomes(run: Run): readonly (readonly [string, EdgeOutcome])[] {
  return run.state.members.map(({ edgeId, end }) => {
    return [edgeId, { isLost: end !== 'done', includedCount: run.tallyOf(edgeId).included }] as const;
  });
}

/** The hive's own facts about its edges, one row for each. */
function edgeRows(run: Run): readonly EdgeRow[] {
  const { participants, clocks, endedAtUs } = run.facts;
  return run.state.members.flatMap(({ edgeId, instanceId, end }) => {
    const participant = participants.get(edgeId);
    if (participant === undefined) return [];
    const { registration, partition } = participant;
    const clock = clocks.get(edgeId);
    const tally = run.tallyOf(edgeId);
    return {
      edge: { edgeId, instanceId },
      row: {
        version: registration.version,
        hostname: registration.hostname,
        labels_json: JSON.stringify(registration.labels),
        first_account: partition.first,
        account_count: partition.count,
        registered_us: registration.registeredAtUs,
        left_us: endedAtUs ?? Date.now() * US_PER_MS,
        end: end ?? 'lost',
        clock_offset_us: clock === undefined ? null : Math.round(clock.offsetUs),
        clock_error_us: clock === undefined ? null : Math.round(clock.errorUs),
        feed_gaps: tally.feedGaps,
        events_dropped: tally.eventsDropped,
        feed_messages: tally.feedMessages,
        feed_duplicates: tally.feedDuplicates,
        feed_reorganisations: tally.feedReorganisations,
        feed_disconnects: tally.feedDisconnects,
        correlation_misses: tally.correlationMisses,
        feed_garbage: tally.feedGarbage,
      },
    };
  });
}
