import { systemNowUs } from '#load/protocol';
import { reclaimedFields } from '#load/worker';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { RunReason } from '../record/run-state.ts';
import { closingFindings } from './closing-findings.ts';
import { chainAddress, fundRun, type FundingWallet, reclaimRun } from './funding.ts';
import type { RunData } from './run-data.ts';
import type { RunEffect, RunEvent } from './run-event.ts';
import type { RunOrders } from './run-orders.ts';
import { drawSchedule } from './run-schedule.ts';
import type { RunTelemetryLink } from './run-telemetry-link.ts';
import type { RunTimes } from './run-times.ts';

export interface RunPerformerParts {
  readonly runData: RunData;
  readonly orders: RunOrders;
  readonly telemetry: RunTelemetryLink;
  readonly wallet: () => FundingWallet;
  readonly times: RunTimes;
  readonly log: Log;
  readonly happened: (event: RunEvent) => void;
}

type EffectNamed<Type extends RunEffect['type']> = Extract<RunEffect, { readonly type: Type }>;
type Performance = { readonly [Type in RunEffect['type']]: (effect: EffectNamed<Type>) => void };

/** Does what the machine of a run wants done, and tells it what came of that. */
export class RunPerformer {
  readonly #parts: RunPerformerParts;
  readonly #performance: Performance;
  #settling: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  #schedule: Promise<void> | undefined;

  constructor(parts: RunPerformerParts) {
    const { orders, times } = parts;
    this.#parts = parts;
    this.#performance = {
      prepare: ({ edgeIds }) => orders.prepare(edgeIds, times.planMs),
      fund: () => this.#attempt('funding_failed', () => this.#fund()),
      make_ready: ({ edgeIds }) => orders.makeReady(edgeIds),
      start: ({ edgeIds }) => {
        orders.start(edgeIds);
        void this.#drawSchedule();
      },
      stop: ({ edgeIds, isAbort, reason }) => orders.stop(edgeIds, isAbort, reason),
      await_settling: () => this.#awaitSettling(),
      verify: () => this.#attempt('telemetry_failed', () => this.#verify()),
      conclude: () => this.#conclude(),
      // It is in the run's data: the oracle learns of it at the end.
      member_ended: () => undefined,
    };
  }

  perform(effect: RunEffect): void {
    const perform = this.#performance[effect.type] as (effect: RunEffect) => void;
    perform(effect);
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#closing.abort();
  }

  /** While the load runs; it is needed at the end, and for an edge that does not come to one. */
  #drawSchedule(): Promise<void> {
    const { runData } = this.#parts;
    this.#schedule ??= drawSchedule(runData, this.#closing.signal).then((schedule) => {
      runData.schedule = schedule;
    });
    return this.#schedule;
  }

  async #fund(): Promise<void> {
    const { runData, orders, telemetry, wallet, happened } = this.#parts;
    orders.assertSound();
    await telemetry.open();
    await fundRun(runData.scenario, wallet(), {
      onProgress: (funded, count) => {
        runData.funded = { funded, count };
      },
      onCost: (mostWei) => {
        this.#tellCost(mostWei);
      },
    });
    happened({ type: 'funded' });
  }

  async #verify(): Promise<void> {
    const { runData, telemetry, wallet, happened } = this.#parts;
    runData.judge(await telemetry.verify(chainAddress(runData.scenario, wallet())));
    happened({ type: 'verified' });
  }

  #conclude(): void {
    clearTimeout(this.#settling);
    const { happened } = this.#parts;
    void this.#seal().then(() => happened({ type: 'concluded' }));
  }

  /** A run ends, whether its files can be completed or not. */
  async #seal(): Promise<void> {
    const { runData, telemetry, log, happened } = this.#parts;
    try {
      if (runData.verdicts === null) runData.judge(await telemetry.verify(null));
      if (runData.startedAtUs !== null) await this.#drawSchedule();
      this.#close();
      await telemetry.seal();
    } catch (error) {
      log.error(
        { event: 'run.not_sealed', err: error, run_id: runData.runId },
        'files of the run are not complete',
      );
      if (!(error instanceof DomainError))
        runData.find({ code: 'telemetry_failed', edge_id: null, message: 'see the log' });
      await telemetry.close();
      happened({ type: 'broken', reason: reasonOf(error, 'telemetry_failed') });
    } finally {
      this.#close();
    }
    await this.#reclaim();
  }

  /** Before the funder pays. */
  #tellCost(mostWei: bigint): void {
    const { runData, log } = this.#parts;
    runData.spendMostWei = mostWei;
    log.info(
      { event: 'run.cost', run_id: runData.runId, most_wei: String(mostWei) },
      'the most that the run takes from the funder, fees included',
    );
  }

  /** What edges have left on accounts that did not come to an end of their own. */
  async #reclaim(): Promise<void> {
    const { runData, wallet, log, times } = this.#parts;
    if (!owesMoney(runData)) return;
    const fields = { run_id: runData.runId };
    try {
      const done = await within(times.reclaimMs, reclaimRun(runData.scenario, wallet()));
      if (done === undefined) return;
      log.info(
        { event: 'run.reclaimed', ...fields, ...reclaimedFields(done) },
        'sent what was left to the funder',
      );
      if (done.failed > 0) this.#findLeft(`${done.failed} accounts did not give it: ${done.reason ?? ''}`);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.warn({ event: 'run.not_reclaimed', err: error, ...fields }, 'could not send back what was left');
      this.#findLeft(error.message);
    }
  }

  #findLeft(reason: string): void {
    const { runData } = this.#parts;
    const message = `money of the funder is left on accounts: plexus-hive sweep ${runData.runId} (${reason})`;
    runData.find({ code: 'not_reclaimed', edge_id: null, message });
  }

  /** Once: nothing is measured from now on. */
  #close(): void {
    const { runData } = this.#parts;
    if (runData.endedAtUs !== null) return;
    runData.end(systemNowUs());
    for (const finding of closingFindings(runData)) runData.find(finding);
  }

  #awaitSettling(): void {
    const { times, happened } = this.#parts;
    this.#settling ??= setTimeout(() => happened({ type: 'settle_timed_out' }), times.settleMs);
  }

  /** An expected failure ends the run; any other, the process. */
  #attempt(reason: RunReason, work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      const { runData, log, happened } = this.#parts;
      const actual = reasonOf(error, reason);
      log.error(
        { event: 'run.broken', err: error, run_id: runData.runId, reason: actual },
        'run cannot go on',
      );
      runData.find({ code: actual, edge_id: null, message: error.message });
      happened({ type: 'broken', reason: actual });
    });
  }
}

/** Edges that come to their end give back by themselves; others may not have. */
function owesMoney({ scenario, state }: RunData): boolean {
  if (!scenario.accounts.reclaim || state.status !== 'Running') return false;
  return state.ending?.status === 'Failed' || state.members.some(({ end }) => end !== 'done');
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DomainError('RPC_FAILED', `not done within ${Math.round(ms / 1_000)} s`));
    }, ms);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

function reasonOf(error: unknown, reason: RunReason): RunReason {
  return error instanceof DomainError && error.code === 'NO_DISK_SPACE' ? 'no_disk_space' : reason;
}
