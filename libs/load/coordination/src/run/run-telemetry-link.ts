import { CHECKS, type Check, type EdgeWord } from '#load/oracle';
import type { Compression, EdgeInstance } from '#load/telemetry';
import { DomainError } from '#platform/foundation';
import type { ChainAddress, EdgeRow, VerifiedRun } from '../telemetry/telemetry-messages.ts';
import { TelemetryThread, type TelemetryThreadEvents } from '../telemetry/telemetry-thread.ts';
import type { RunData } from './run-data.ts';

const US_PER_MS = 1_000;

export interface TelemetryPlace {
  readonly directory: string;
  readonly compression: Compression;
}

/** The telemetry of one run, opened when it is first needed. */
export class RunTelemetryLink {
  readonly #runData: RunData;
  readonly #place: TelemetryPlace;
  readonly #events: TelemetryThreadEvents;
  #thread: Promise<TelemetryThread> | undefined;

  constructor(runData: RunData, place: TelemetryPlace, events: TelemetryThreadEvents) {
    this.#runData = runData;
    this.#place = place;
    this.#events = events;
  }

  /** Rejects with NO_DISK_SPACE, STORE_UNAVAILABLE. */
  async open(): Promise<void> {
    await this.#opened();
  }

  async append(edge: EdgeInstance, seq: number, tables: Uint8Array): Promise<void> {
    if (this.#thread === undefined) throw new DomainError('RUN_ENDED', 'the run takes no telemetry');
    await (await this.#thread).append(edge, seq, tables);
  }

  /** With a chain, what is wrong with a balance is looked up on it. */
  async verify(chain: ChainAddress | null): Promise<VerifiedRun> {
    const words = edgeWords(this.#runData);
    return (await this.#opened()).verify({ chain, words });
  }

  /** Completes the files, and ends the thread. */
  async seal(): Promise<void> {
    const thread = await this.#opened();
    const { parts } = await thread.seal(edgeRows(this.#runData));
    this.#runData.parts = parts;
    await this.close();
  }

  async close(): Promise<void> {
    const thread = await this.#thread?.catch(() => undefined);
    await thread?.close();
  }

  #opened(): Promise<TelemetryThread> {
    if (this.#thread !== undefined) return this.#thread;
    const { oracle, correlation, target } = this.#runData.scenario;
    const opening = {
      ...this.#place,
      accountCounts: this.#runData.accountCounts(),
      hasFeed: correlation.feed === 'per_edge',
      tips: target.tips,
      checks: CHECKS.filter((check: Check) => oracle[check]),
    };
    const thread = TelemetryThread.open(opening, this.#events);
    // Whoever asks next tries again.
    thread.catch(() => (this.#thread = undefined));
    this.#thread = thread;
    return thread;
  }
}

/** Whoever has not come to an end by now is lost. */
function edgeWords(runData: RunData): readonly (readonly [string, EdgeWord])[] {
  return runData.state.members.map(({ edgeId, end }) => {
    return [edgeId, { isLost: end !== 'done', includedCount: runData.tallyOf(edgeId).included }] as const;
  });
}

/** What the hive itself knows of its edges, one row for each. */
function edgeRows(runData: RunData): readonly EdgeRow[] {
  const { state, participants, clocks, endedAtUs } = runData;
  return state.members.flatMap(({ edgeId, instanceId, end }) => {
    const participant = participants.get(edgeId);
    if (participant === undefined) return [];
    const { registration, partition } = participant;
    const clock = clocks.get(edgeId);
    const tally = runData.tallyOf(edgeId);
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
      },
    };
  });
}
