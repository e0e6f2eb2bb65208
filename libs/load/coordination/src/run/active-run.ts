import type { EdgeAnswer, EdgeProgress, EdgeRegistration, ReceivedBatch } from '#load/protocol';
import type { EdgeInstance } from '#load/telemetry';
import { DomainError, type ErrorCode } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { EdgeRegistry } from '../edge/edge-registry.ts';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { isEnded, type RunReason } from '../record/run-state.ts';
import type { RunFile } from '../record/run-store.ts';
import type { FundingWallet } from './funding.ts';
import type { RunData } from './run-data.ts';
import { RunEngine } from './run-engine.ts';
import type { RunEvent } from './run-event.ts';
import { RunOrders } from './run-orders.ts';
import { RunPerformer } from './run-performer.ts';
import { RunTelemetryLink, type TelemetryPlace } from './run-telemetry-link.ts';
import type { RunTimes } from './run-times.ts';
import { RunWatch } from './run-watch.ts';

/** What becomes of a run whose telemetry cannot be written. */
const WRITE_FAILURES: { readonly [Code in ErrorCode]?: RunReason } = {
  NO_DISK_SPACE: 'no_disk_space',
  STORE_UNAVAILABLE: 'telemetry_failed',
};

/** What every run has in common. */
export interface RunSurroundings {
  readonly registry: EdgeRegistry;
  readonly sessions: EdgeSessions;
  readonly times: RunTimes;
  readonly log: Log;
  /** Violations of the run so far, by check. */
  readonly onViolations: (runData: RunData) => void;
}

export interface ActiveRunParts extends RunSurroundings {
  readonly runData: RunData;
  readonly file: RunFile;
  readonly place: TelemetryPlace;
  readonly wallet: FundingWallet;
}

/** A run that has not ended. */
export class ActiveRun {
  readonly runData: RunData;
  readonly #sessions: EdgeSessions;
  readonly #engine: RunEngine;
  readonly #performer: RunPerformer;
  readonly #orders: RunOrders;
  readonly #telemetry: RunTelemetryLink;
  readonly #watch: RunWatch;
  readonly #listeners = new Set<() => void>();
  readonly #ended = Promise.withResolvers<undefined>();

  constructor(parts: ActiveRunParts) {
    const { runData, sessions, times, log } = parts;
    const happened = (event: RunEvent): void => this.happened(event);
    const notify = (): void => this.#notify();
    this.runData = runData;
    this.#sessions = sessions;
    this.#orders = new RunOrders({
      ...parts,
      funderAddress: parts.wallet.funderAddress,
      onRefusal: (refusal) => this.happened({ type: 'nacked', ...refusal }),
    });
    this.#telemetry = new RunTelemetryLink(runData, parts.place, {
      violations: (counts) => {
        runData.violations = counts;
        parts.onViolations(runData);
        if (runData.scenario.oracle.on_violation === 'stop')
          happened({ type: 'load_cut', reason: 'oracle_violation' });
      },
      ended: (error) => {
        log.error(
          { event: 'telemetry.ended', err: error, run_id: runData.runId },
          'telemetry thread has ended',
        );
        happened({ type: 'broken', reason: 'telemetry_failed' });
      },
    });
    this.#performer = new RunPerformer({
      ...{ runData, times, log, happened },
      orders: this.#orders,
      telemetry: this.#telemetry,
      wallet: () => parts.wallet,
    });
    this.#engine = new RunEngine({
      ...{ runData, log, file: parts.file },
      leadMs: times.leadMs,
      perform: (effect) => this.#performer.perform(effect),
      onStep: notify,
    });
    this.#watch = new RunWatch({ runData, sessions, times, log, happened, onTick: notify });
  }

  /** Writes a new run down. Throws NO_DISK_SPACE. */
  begin(): Promise<void> {
    return this.#engine.save();
  }

  /** Edges can reach the hive: who is silent from now on is missed. */
  watch(): void {
    this.#watch.start();
  }

  /** Resolves when the run has ended, and that is on disk as far as there is room. */
  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  happened(event: RunEvent): void {
    this.#engine.happened(event);
  }

  /** An edge whose certificate has ended meanwhile does not take part. */
  answered(
    edgeId: string,
    { runId, instanceId, revision }: EdgeAnswer,
    refusal: { readonly code: string; readonly reason: string } | undefined,
  ): void {
    if (runId !== this.runData.runId) return;
    const fault = this.#sessions.channel(edgeId)?.certificateFault();
    const actual = fault === undefined ? refusal : { code: 'certificate_invalid', reason: fault };
    const answer = { edgeId, instanceId, revision };
    this.happened(
      actual === undefined ? { type: 'acked', ...answer } : { type: 'nacked', ...answer, ...actual },
    );
  }

  progressed({ edgeId, instanceId }: EdgeRegistration, progress: EdgeProgress): void {
    const { runId, state } = this.runData;
    const member = state.members.find((one) => one.edgeId === edgeId && one.instanceId === instanceId);
    if (progress.runId !== runId || member === undefined || isEnded(state)) return;
    this.runData.progress.set(edgeId, progress);
    const { phase, reason } = progress;
    if (phase !== member.phase) this.happened({ type: 'progressed', edgeId, instanceId, phase, reason });
  }

  /**
   * Resolves when the batch is on disk. Rejects as `TelemetryWriter.take` does: a run whose files cannot be
   * written any more is over.
   */
  async receiveBatch(edge: EdgeInstance, { seq, tables }: ReceivedBatch): Promise<void> {
    try {
      await this.#telemetry.append(edge, seq, tables);
    } catch (error) {
      const reason = error instanceof DomainError ? WRITE_FAILURES[error.code] : undefined;
      const isKnown = this.runData.state.ending?.status === 'Failed';
      if (reason !== undefined && !isKnown) this.happened({ type: 'broken', reason });
      throw error;
    }
  }

  /**
   * Opens the telemetry that another process has left, so that edges can hand over what they hold. Rejects
   * with NO_DISK_SPACE, STORE_UNAVAILABLE, STORE_CORRUPT.
   */
  async reopenTelemetry(): Promise<void> {
    await this.#telemetry.open();
  }

  /** Calls back whenever something may have changed; gives a function that ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything that has happened is taken. */
  idle(): Promise<void> {
    return this.#engine.idle();
  }

  /** Leaves the run as it is, for the next process. */
  async close(): Promise<void> {
    this.#stopTimers();
    await this.#engine.close();
    await this.#telemetry.close();
  }

  #stopTimers(): void {
    this.#watch.close();
    this.#orders.close();
    this.#performer.close();
  }

  #notify(): void {
    if (isEnded(this.runData.state)) {
      this.#stopTimers();
      this.#ended.resolve(undefined);
    }
    for (const listener of [...this.#listeners]) listener();
  }
}
