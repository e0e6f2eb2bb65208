import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { EventBuffer } from '#load/telemetry';
import type { Latencies } from './latencies.ts';
import type { Ledger } from './ledger.ts';
import { differenceOf, type FeedTally, isZero, type StageCounts, totalOf, zeroCounts } from './tally.ts';

export interface IntervalRecorderOptions {
  readonly ledger: Ledger;
  readonly latencies: Latencies;
  readonly events: EventBuffer;
  readonly feed: FeedTally;
}

const NS_A_US = 1_000;
const US_A_MS = 1_000;
const LOOP_RESOLUTION_MS = 10;

/**
 * Counts and latencies of each interval. Each stage with activity in the interval has a row; what has no
 * stage is in the row of the current stage.
 */
export class IntervalRecorder {
  readonly #options: IntervalRecorderOptions;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #before: readonly StageCounts[];
  #beforeUs: number;
  #messagesBefore: readonly number[];
  #dropped: number;
  #cpu = process.cpuUsage();

  constructor(options: IntervalRecorderOptions, nowUs: number) {
    this.#options = options;
    this.#before = options.ledger.stages.map(zeroCounts);
    this.#messagesBefore = options.ledger.stages.map(() => 0);
    this.#beforeUs = nowUs;
    this.#dropped = droppedOf(options.events);
    this.#loopDelay.enable();
  }

  /** Ends the interval that began at the previous call. */
  record(stageNow: number, nowUs: number): void {
    const { ledger, events, feed } = this.#options;
    ledger.errors.flush(events, nowUs);
    feed.count(stageNow);
    const messages = ledger.stages.map((_, stage) => feed.messagesOf(stage));
    const own = this.#ownCells();
    for (const [stage, counts] of ledger.stages.entries()) {
      const added = differenceOf(counts, this.#before[stage] ?? zeroCounts());
      const feedMessages = (messages[stage] ?? 0) - (this.#messagesBefore[stage] ?? 0);
      if (stage !== stageNow && isZero(added) && feedMessages === 0) continue;
      this.#recordStage(
        stage,
        { ...added, feedMessages },
        { nowUs, own: stage === stageNow ? own : NO_CELLS },
      );
    }
    this.#messagesBefore = messages;
    this.#before = ledger.stages.map((counts) => totalOf([counts]));
    this.#beforeUs = nowUs;
  }

  close(): void {
    this.#loopDelay.disable();
  }

  #recordStage(
    stage: number,
    added: StageCounts & { readonly feedMessages: number },
    at: { readonly nowUs: number; readonly own: OwnCells },
  ): void {
    const { latencies, events } = this.#options;
    events.record('intervals', {
      at_us: at.nowUs,
      interval_ms: Math.round((at.nowUs - this.#beforeUs) / US_A_MS),
      stage,
      planned: added.planned,
      sent: added.sent,
      not_sent: added.notSent,
      acked: added.acked,
      included: added.included,
      rejected: added.rejected,
      unknown: added.unknown,
      correlation_misses: added.misses,
      feed_messages: added.feedMessages,
      ...at.own,
      ...latencies.takeInterval(stage),
    });
  }

  #ownCells(): OwnCells {
    const { ledger, events } = this.#options;
    const cpu = process.cpuUsage();
    const cells = {
      in_flight: ledger.openCount,
      events_dropped: droppedOf(events) - this.#dropped,
      loop_delay_p99_us: this.#loopDelayP99(),
      cpu_ms: Math.round((cpu.user + cpu.system - this.#cpu.user - this.#cpu.system) / US_A_MS),
    };
    this.#dropped = droppedOf(events);
    this.#cpu = cpu;
    this.#loopDelay.reset();
    return cells;
  }

  /** What is measured is the time between two ticks of the resolution. */
  #loopDelayP99(): number {
    const delayUs = this.#loopDelay.percentile(99) / NS_A_US - LOOP_RESOLUTION_MS * US_A_MS;
    return Math.max(0, Math.round(delayUs));
  }
}

interface OwnCells {
  readonly in_flight: number;
  readonly events_dropped: number;
  readonly loop_delay_p99_us: number;
  readonly cpu_ms: number;
}

const NO_CELLS: OwnCells = {
  in_flight: 0,
  events_dropped: 0,
  loop_delay_p99_us: 0,
  cpu_ms: 0,
};

/** The number of dropped events in all tables. */
export function droppedOf({ dropped }: EventBuffer): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}
