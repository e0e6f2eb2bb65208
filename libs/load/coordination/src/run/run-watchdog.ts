import { type ClockOffset, systemNowUs } from '#load/protocol';
import { abortingThreshold } from '#load/scenario';
import type { Log } from '#platform/observability';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { isEnded, liveMembers, waitingFor } from '../record/run-state.ts';
import { notStartedFinding } from './run-findings.ts';
import type { Run } from './run.ts';

/** The intervals and time limits of a run, in ms; tests shorten them. */
export interface RunTimes {
  /** Interval of an edge's heartbeats. */
  readonly heartbeatMs: number;
  /** Interval of the watchdog. */
  readonly tickMs: number;
  /** Delay of the plans, so that edges that register together are planned once. */
  readonly planMs: number;
  /** Interval at which rejected plans are sent again. */
  readonly recheckMs: number;
  /** Time from the start order to the first transaction. */
  readonly leadMs: number;
  /** Time without contact after which an edge is silent, and the run degraded until the next contact. */
  readonly silenceMs: number;
  /** Time without contact after which an edge is lost. */
  readonly edgeLossMs: number;
  /** Time for the edges of a failed run to deliver their remaining events. */
  readonly settleMs: number;
  /** Time limit of the reclaim after a failed or degraded run. */
  readonly reclaimMs: number;
  /** Time limit from the end of the load to the end of the last edge. */
  readonly overtimeMs: number;
  /** The wait after the first failed attempt to post a result; it doubles. */
  readonly webhookRetryMs: number;
}

export const RUN_TIMES: RunTimes = {
  heartbeatMs: 2_000,
  tickMs: 1_000,
  planMs: 50,
  recheckMs: 5_000,
  leadMs: 1_000,
  silenceMs: 10_000,
  edgeLossMs: 30_000,
  settleMs: 30_000,
  reclaimMs: 60_000,
  overtimeMs: 900_000,
  webhookRetryMs: 1_000,
};

const US_PER_MS = 1_000;
/** Number of edges that a log line names. */
const NAMES_MAX = 5;

/**
 * A tick later than this number of intervals means that the process was stopped, or the machine suspended.
 */
const FROZEN_TICKS = 3;

/**
 * Checks a run every second, and reports events caused by time: silent edges, the next stage, deadlines. Time
 * during which the hive itself was frozen does not count as silence of an edge.
 */
export class RunWatchdog {
  readonly #run: Run;
  readonly #sessions: EdgeSessions;
  readonly #times: RunTimes;
  readonly #log: Log;
  #lookedAtMs = performance.now();
  #awakeSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #waitedFor = '';

  constructor(run: Run, sessions: EdgeSessions, times: RunTimes, log: Log) {
    this.#run = run;
    this.#sessions = sessions;
    this.#times = times;
    this.#log = log;
  }

  /** Starts the timer; silence is counted from now on. */
  start(): void {
    this.#lookedAtMs = performance.now();
    this.#timer ??= setInterval(() => this.#look(), this.#times.tickMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#noteFreeze(performance.now());
    const { state } = this.#run;
    if (isEnded(state)) return;
    if (state.status === 'Starting') this.#lookAtStart();
    else this.#lookAtRun(systemNowUs());
    this.#lookAtEdges();
  }

  #noteFreeze(nowMs: number): void {
    const sinceMs = nowMs - this.#lookedAtMs;
    this.#lookedAtMs = nowMs;
    if (sinceMs < FROZEN_TICKS * this.#times.tickMs) return;
    this.#awakeSinceMs = nowMs;
    const fields = { event: 'hive.frozen', run_id: this.#run.runId, frozen_ms: Math.round(sinceMs) };
    this.#log.warn(fields, 'hive was frozen');
  }

  #silentMs(edgeId: string): number {
    const { silentMs } = this.#sessions.of(edgeId);
    return Math.min(silentMs, performance.now() - this.#awakeSinceMs);
  }

  #lookAtStart(): void {
    const waiting = waitingFor(this.#run.state);
    if (waiting.join() !== this.#waitedFor) {
      this.#waitedFor = waiting.join();
      const named = { waiting_count: waiting.length, waiting_for: waiting.slice(0, NAMES_MAX) };
      const fields = { event: 'run.waiting', run_id: this.#run.runId, ...named };
      this.#log.info(fields, 'waiting for edges');
    }
    if (this.#isStartLate()) {
      this.#run.learned({ type: 'found', finding: notStartedFinding(this.#run) });
      this.#run.happened({ type: 'stop_asked', mode: 'abort' });
      return;
    }
    const everyTicks = Math.max(1, Math.round(this.#times.recheckMs / this.#times.tickMs));
    if (++this.#ticks % everyTicks === 0) this.#run.happened({ type: 'recheck' });
  }

  /** The client that began the run may be gone: the limit is in the record (ADR 0607). */
  #isStartLate(): boolean {
    const { scenario, createdAtUs, state } = this.#run;
    const { start_timeout: limitMs } = scenario.edges;
    if (limitMs === undefined || state.ending !== null) return false;
    return systemNowUs() - createdAtUs >= limitMs * US_PER_MS;
  }

  #lookAtRun(nowUs: number): void {
    if (this.#run.state.ending?.status === 'Failed') this.#lookAtSettling(nowUs);
    else this.#lookForLosses(nowUs);
    this.#lookAtStage(nowUs);
    this.#lookAtThresholds(nowUs);
  }

  /** Edges of a failed run have the settling time to deliver their events, even if they are silent. */
  #lookAtSettling(nowUs: number): void {
    const sinceUs = this.#run.facts.settlingSinceUs ?? Infinity;
    if (nowUs - sinceUs >= this.#times.settleMs * US_PER_MS) this.#run.happened({ type: 'settle_timed_out' });
  }

  #lookForLosses(nowUs: number): void {
    const { facts, scenario, state } = this.#run;
    const lastUs =
      (facts.timeline?.endUs ?? Infinity) +
      (scenario.correlation.timeout + this.#times.overtimeMs) * US_PER_MS;
    for (const { edgeId, instanceId } of liveMembers(state)) {
      const silentMs = this.#silentMs(edgeId);
      const lost = (reason: string): void =>
        this.#run.happened({ type: 'edge_lost', edgeId, instanceId, reason });
      if (silentMs > this.#times.edgeLossMs) lost(`it was silent for ${Math.round(silentMs / 1_000)} s`);
      else if (nowUs > lastUs) lost('it did not end in time');
    }
  }

  #lookAtStage(nowUs: number): void {
    const { facts, state } = this.#run;
    const stage = facts.timeline?.stageAt(nowUs);
    if (stage === undefined) return;
    const isWarmup = stage.is_excluded;
    const phase = isWarmup ? 'warmup' : 'steady';
    const isLoad = ['presigning', 'warmup', 'steady'].includes(state.phase ?? '');
    if (isLoad && state.phase !== phase) this.#run.happened({ type: 'load_began', isWarmup });
  }

  #lookAtThresholds(nowUs: number): void {
    const { facts, thresholds, state } = this.#run;
    const { timeline } = facts;
    if (timeline === null || state.phase !== 'steady') return;
    if (!thresholds.some(({ abort_on_fail: aborts }) => aborts)) return;
    const figures = this.#run.figures(nowUs);
    const missed = abortingThreshold(
      thresholds,
      (metric) => figures.boundsOf(metric),
      timeline.measuredMs(nowUs),
    );
    if (missed === undefined) return;
    const message = `${missed.threshold.metric} is ${missed.value ?? 'unknown'}`;
    this.#run.learned({ type: 'found', finding: { code: 'threshold_missed', edge_id: null, message } });
    this.#run.happened({ type: 'load_cut', reason: 'threshold_missed' });
  }

  /** Passes the clocks and the silent edges to the run. */
  #lookAtEdges(): void {
    const { runId, state, facts } = this.#run;
    const clocks = new Map<string, ClockOffset>();
    for (const { edgeId } of state.members) {
      const { clockOffset } = this.#sessions.of(edgeId);
      if (clockOffset !== undefined) clocks.set(edgeId, clockOffset);
    }
    const live = state.status === 'Running' ? liveMembers(state) : [];
    const silent = live
      .map(({ edgeId }) => edgeId)
      .filter((edgeId) => this.#silentMs(edgeId) > this.#times.silenceMs);
    for (const edgeId of silent.filter((one) => !facts.silent.has(one))) {
      const silentMs = Math.round(this.#silentMs(edgeId));
      const fields = { event: 'edge.silent', run_id: runId, edge_id: edgeId, silent_ms: silentMs };
      this.#log.warn(fields, 'edge silent');
    }
    this.#run.learned({ type: 'watched', clocks, silent: new Set(silent) });
  }
}
