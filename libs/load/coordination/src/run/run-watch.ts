import { systemNowUs } from '#load/protocol';
import { abortingThreshold } from '#load/scenario';
import type { Log } from '#platform/observability';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { isEnded, liveMembers, waitingFor } from '../record/run-state.ts';
import type { RunData } from './run-data.ts';
import type { RunEvent } from './run-event.ts';
import type { RunTimes } from './run-times.ts';

const US_PER_MS = 1_000;

export interface RunWatchParts {
  readonly runData: RunData;
  readonly sessions: EdgeSessions;
  readonly times: RunTimes;
  readonly log: Log;
  readonly happened: (event: RunEvent) => void;
  /** After each look. */
  readonly onTick: () => void;
}

/** Looks that come later than so many of their intervals: the process was stopped, or the machine asleep. */
const FROZEN_TICKS = 3;

/**
 * Looks at a run every second, and tells it what time alone brings about. While the hive itself was frozen it
 * heard nobody: that time is no silence of an edge.
 */
export class RunWatch {
  readonly #parts: RunWatchParts;
  #lookedAtMs = performance.now();
  #awakeSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #waitedFor = '';

  constructor(parts: RunWatchParts) {
    this.#parts = parts;
  }

  /** From now on edges can be heard, and missed. */
  start(): void {
    this.#lookedAtMs = performance.now();
    this.#timer ??= setInterval(() => this.#look(), this.#parts.times.tickMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { runData, sessions, onTick } = this.#parts;
    this.#noteFreeze(performance.now());
    if (isEnded(runData.state)) return;
    for (const { edgeId } of runData.state.members) {
      const { clockOffset } = sessions.of(edgeId);
      if (clockOffset !== undefined) runData.clocks.set(edgeId, clockOffset);
    }
    if (runData.state.status === 'Starting') this.#lookAtStart();
    else this.#lookAtRun(systemNowUs());
    onTick();
  }

  #noteFreeze(nowMs: number): void {
    const { times, log, runData } = this.#parts;
    const sinceMs = nowMs - this.#lookedAtMs;
    this.#lookedAtMs = nowMs;
    if (sinceMs < FROZEN_TICKS * times.tickMs) return;
    this.#awakeSinceMs = nowMs;
    const fields = { event: 'hive.frozen', run_id: runData.runId, frozen_ms: Math.round(sinceMs) };
    log.warn(fields, 'the hive did not run for a while');
  }

  #silentMs(edgeId: string): number {
    const { silentMs } = this.#parts.sessions.of(edgeId);
    return Math.min(silentMs, performance.now() - this.#awakeSinceMs);
  }

  #lookAtStart(): void {
    const { runData, times, log, happened } = this.#parts;
    const waiting = waitingFor(runData.state);
    if (waiting.join() !== this.#waitedFor) {
      this.#waitedFor = waiting.join();
      log.info({ event: 'run.waiting', run_id: runData.runId, waiting_for: waiting }, 'run waits for edges');
    }
    const everyTicks = Math.max(1, Math.round(times.recheckMs / times.tickMs));
    if (++this.#ticks % everyTicks === 0) happened({ type: 'recheck' });
  }

  #lookAtRun(nowUs: number): void {
    this.#lookForLosses(nowUs);
    this.#lookForSilence();
    this.#lookAtStage(nowUs);
    this.#lookAtThresholds(nowUs);
  }

  /** Who is to hand over what it holds of a run that has failed has the time to settle, silent or not. */
  #lookForLosses(nowUs: number): void {
    const { runData, times, happened } = this.#parts;
    if (runData.state.ending?.status === 'Failed') return;
    const { timeline, scenario } = runData;
    const lastUs =
      (timeline?.endUs ?? Infinity) + (scenario.correlation.timeout + times.overtimeMs) * US_PER_MS;
    for (const { edgeId, instanceId } of liveMembers(runData.state)) {
      const silentMs = this.#silentMs(edgeId);
      const lost = (reason: string): void => happened({ type: 'edge_lost', edgeId, instanceId, reason });
      if (silentMs > times.edgeLossMs) lost(`it was silent for ${Math.round(silentMs / 1_000)} s`);
      else if (nowUs > lastUs) lost('it did not come to an end');
    }
  }

  #lookForSilence(): void {
    const { runData, times, log } = this.#parts;
    const { runId, silent: before } = runData;
    const silent = liveMembers(runData.state)
      .map(({ edgeId }) => edgeId)
      .filter((edgeId) => this.#silentMs(edgeId) > times.silenceMs);
    runData.silent = new Set(silent);
    for (const edgeId of silent.filter((one) => !before.has(one))) {
      const silentMs = Math.round(this.#silentMs(edgeId));
      log.warn(
        { event: 'edge.silent', run_id: runId, edge_id: edgeId, silent_ms: silentMs },
        'edge is silent',
      );
    }
  }

  #lookAtStage(nowUs: number): void {
    const { runData, happened } = this.#parts;
    const stage = runData.timeline?.stageAt(nowUs);
    if (stage === undefined) return;
    const isWarmup = stage.is_excluded;
    const phase = isWarmup ? 'warmup' : 'steady';
    const isLoad = ['presigning', 'warmup', 'steady'].includes(runData.state.phase ?? '');
    if (isLoad && runData.state.phase !== phase) happened({ type: 'load_began', isWarmup });
  }

  #lookAtThresholds(nowUs: number): void {
    const { runData, happened } = this.#parts;
    const { timeline, thresholds, state } = runData;
    if (timeline === null || state.phase !== 'steady') return;
    if (!thresholds.some(({ abort_on_fail: aborts }) => aborts)) return;
    const figures = runData.figures(nowUs);
    const missed = abortingThreshold(
      thresholds,
      (metric) => figures.valueOf(metric),
      timeline.measuredMs(nowUs),
    );
    if (missed === undefined) return;
    const message = `${missed.threshold.metric} is ${missed.value ?? 'unknown'}`;
    runData.find({ code: 'threshold_missed', edge_id: null, message });
    happened({ type: 'load_cut', reason: 'threshold_missed' });
  }
}
