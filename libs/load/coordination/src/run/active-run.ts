import { type Log, PhaseTrace } from '#platform/observability';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import type { RunFile } from '../record/run-store.ts';
import { EdgeOrders } from './edge-orders.ts';
import { type FunderTurns, type FundingWallet, RunFunding } from './funding.ts';
import { RunEffects } from './run-effects.ts';
import { RunLog } from './run-log.ts';
import { RunTelemetry, type TelemetryPlace } from './run-telemetry.ts';
import { type RunTimes, RunWatchdog } from './run-watchdog.ts';
import type { Run } from './run.ts';

/** The parts that belong to one run. */
export interface RunResources {
  readonly file: RunFile;
  readonly wallet: FundingWallet;
  readonly place: TelemetryPlace;
}

/** The parts that all runs share. */
export interface ActiveRunContext {
  readonly sessions: EdgeSessions;
  readonly turns: FunderTurns;
  readonly times: RunTimes;
  readonly log: Log;
}

/** A run that has not ended, with its effects and its watchdog. */
export class ActiveRun {
  readonly run: Run;
  readonly effects: RunEffects;
  readonly telemetry: RunTelemetry;
  readonly watchdog: RunWatchdog;

  static of(run: Run, { file, wallet, place }: RunResources, context: ActiveRunContext): ActiveRun {
    const { sessions, turns, times, log } = context;
    const { planMs, reclaimMs } = times;
    const telemetry = new RunTelemetry(run, place, log);
    const trace = new PhaseTrace('run', { 'run.id': run.runId });
    const orders = new EdgeOrders(run, sessions, wallet.funder?.address ?? null, planMs, trace);
    const money = new RunFunding(run, wallet, turns, log, reclaimMs);
    const runLog = new RunLog(run, log, trace);
    const effects = new RunEffects(run, file, orders, money, telemetry, runLog);
    return new ActiveRun({
      run,
      effects,
      telemetry,
      watchdog: new RunWatchdog(run, sessions, times, log),
    });
  }

  private constructor({
    run,
    effects,
    telemetry,
    watchdog,
  }: Pick<ActiveRun, 'run' | 'effects' | 'telemetry' | 'watchdog'>) {
    this.run = run;
    this.effects = effects;
    this.telemetry = telemetry;
    this.watchdog = watchdog;
  }

  /** Stops work on the run without ending it; the next process continues it. */
  async close(): Promise<void> {
    this.watchdog.close();
    await this.effects.close();
  }
}
