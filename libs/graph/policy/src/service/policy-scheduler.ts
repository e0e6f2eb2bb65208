import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { LastSync, Leadership, Tick, Ticks } from '#graph/engine';
import { nextCronMs } from '#platform/config';
import { type Clock, DomainError } from '#platform/foundation';
import { ANY_CONNECTOR, parseSchedule, type Schedule } from '../rule/schedule.ts';
import type { EvaluationTrigger } from './evaluation.ts';
import type { Policies } from './policies.ts';
import type { PolicyLog } from './policy-ports.ts';

/** Maximum timer duration: the wall clock may be set meanwhile. */
const SLEEP_MS_MAX = 3_600_000;
const RETRY_MS = 10_000;
const PREFIX = 'rule/';

/** What schedules follow. */
export interface ScheduledGraph {
  readonly ticks: Pick<Ticks, 'last' | 'claim'>;
  readonly leadership: Pick<Leadership, 'isLeader' | 'onElected'>;
  lastSyncs(): readonly SyncMark[];
  onSynced(listener: () => void): void;
}

type SyncMark = Pick<LastSync, 'connector_id' | 'sync_id' | 'synced_at'>;

interface ScheduledRule {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly schedule: Schedule;
}

interface DueRule extends ScheduledRule {
  readonly from: Tick;
  readonly to: Tick;
}

/**
 * Evaluates rules by their schedules, in the leading process; those due at one time share one evaluation.
 * Rules without a schedule never run automatically, except once after a first start has loaded data, and when
 * another set of their findings is waived than in their last run. Ticks
 * that were missed, because no process was running or a new one leads, are made up for by one evaluation.
 */
export class PolicyScheduler implements OnModuleInit, OnModuleDestroy {
  readonly #policies: Policies;
  readonly #graph: ScheduledGraph;
  readonly #log: PolicyLog;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  /** Where the known schedules begin, if they have no tick: noted before the next sync. */
  #starts: ReadonlyMap<string, Tick> = new Map();
  /** Whether something may be due since the last look. */
  #isAsked = false;
  #run: Promise<void> | undefined;
  #isStopped = false;

  constructor(policies: Policies, graph: ScheduledGraph, clock: Clock, log: PolicyLog) {
    this.#policies = policies;
    this.#graph = graph;
    this.#log = log;
    this.#clock = clock;
  }

  /** Starts once all that listens to evaluations has been created. */
  onModuleInit(): void {
    this.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  start(): void {
    const look = (): void => this.#look();
    this.#policies.onRulesChanged(() => {
      this.#noteStarts();
      look();
    });
    this.#graph.leadership.onElected(look);
    this.#graph.onSynced(() => {
      if (this.#scheduled().some(({ schedule }) => schedule.kind === 'on_sync')) look();
    });
    this.#noteStarts();
    look();
  }

  /** Evaluates all rules after a first start has loaded data, so that there is a posture. */
  loaded(): void {
    const rules = this.#policies.rules.list().filter(({ rule }) => rule.enabled);
    const ids = rules.map(({ rule }) => rule.id);
    if (this.#graph.leadership.isLeader) void this.#evaluate(ids, 'first_start');
  }

  /** Resolves when no tick is being claimed and no evaluation of a tick is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#run;
  }

  #noteStarts(): void {
    const starts = new Map<string, Tick>();
    for (const rule of this.#scheduled()) {
      const key = keyOf(rule);
      try {
        starts.set(key, this.#starts.get(key) ?? this.#startOf(rule.schedule));
      } catch (error) {
        // While another history is read, its syncs are not known; the plan looks again.
        if (!(error instanceof DomainError)) throw error;
      }
    }
    this.#starts = starts;
  }

  /** Syncs and ticks during an evaluation share the next one, so that many at once are not TOO_BUSY. */
  #look(): void {
    this.#isAsked = true;
    this.#run ??= this.#runAsked();
  }

  async #runAsked(): Promise<void> {
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      await this.#runDue();
    }
    this.#run = undefined;
  }

  async #runDue(): Promise<void> {
    clearTimeout(this.#timer);
    // The election of this process is another reason to look.
    if (!this.#graph.leadership.isLeader) return;
    try {
      const { due, nextMs } = await this.#plan();
      const isSettled = await this.#evaluateDecided();
      if (due.length === 0) {
        const retryMs = isSettled ? Infinity : this.#clock.nowMs() + RETRY_MS;
        this.#setTimer(Math.min(nextMs, this.#policies.register.nextWaiverEndMs(), retryMs));
        return;
      }
      const claimed = await this.#graph.ticks.claim(due.map((rule) => ({ ...rule, schedule: rule.text })));
      const rules = due.filter(({ name }) => claimed.has(name));
      await this.#evaluate(idsOf(rules.filter(({ schedule }) => schedule.kind !== 'on_sync')), 'schedule');
      await this.#evaluate(idsOf(rules.filter(({ schedule }) => schedule.kind === 'on_sync')), 'sync');
      this.#isAsked = true;
    } catch (error) {
      if (this.#isStopped) return;
      this.#log.error({ event: 'policy.schedule_unknown', err: error }, 'ticks of rules cannot be stored');
      this.#setTimer(this.#clock.nowMs() + RETRY_MS);
    }
  }

  /**
   * Evaluates the rules of which other findings are waived by now: one that is waived no more is news.
   * Returns whether it could.
   */
  async #evaluateDecided(): Promise<boolean> {
    const anew = this.#policies.register.decidedAnew();
    await this.#evaluate(anew, 'decision');
    return anew.length === 0 || this.#policies.register.decidedAnew().length === 0;
  }

  async #plan(): Promise<{ readonly due: readonly DueRule[]; readonly nextMs: number }> {
    const rules = this.#scheduled();
    const last = await this.#graph.ticks.last(
      PREFIX,
      rules.map((rule) => ({
        name: rule.name,
        schedule: rule.text,
        start: this.#starts.get(keyOf(rule)) ?? this.#startOf(rule.schedule),
        nowMs: rule.schedule.kind === 'on_sync' ? undefined : this.#clock.nowMs(),
      })),
    );
    const nowMs = this.#clock.nowMs();
    const due: DueRule[] = [];
    let nextMs = Infinity;
    for (const rule of rules) {
      const from = last.get(rule.name);
      if (from === undefined) continue;
      const to = this.#tickSince(rule.schedule, from, nowMs);
      if (to !== undefined) due.push({ ...rule, from, to });
      nextMs = Math.min(nextMs, nextTimeMs(rule.schedule, from.atMs));
    }
    return { due, nextMs };
  }

  #startOf(schedule: Schedule): Tick {
    if (schedule.kind !== 'on_sync') return { atMs: this.#clock.nowMs() };
    return lastSyncOf(schedule.connectorId, this.#graph.lastSyncs());
  }

  /** The tick since the last one, if there is one; of several, the latest. */
  #tickSince(schedule: Schedule, { atMs, cause }: Tick, nowMs: number): Tick | undefined {
    if (schedule.kind === 'on_sync') {
      const sync = lastSyncOf(schedule.connectorId, this.#graph.lastSyncs());
      return sync.atMs >= atMs && sync.cause !== cause ? sync : undefined;
    }
    if (nextTimeMs(schedule, atMs) > nowMs) return undefined;
    if (schedule.kind !== 'every') return { atMs: nowMs };
    return { atMs: nowMs - ((nowMs - atMs) % schedule.ms) };
  }

  #setTimer(dueMs: number): void {
    if (this.#isStopped || dueMs === Infinity) return;
    const ms = Math.min(Math.max(0, dueMs - this.#clock.nowMs()), SLEEP_MS_MAX);
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  /** Evaluates the rules; a failure is logged. */
  async #evaluate(ruleIds: readonly string[], trigger: EvaluationTrigger): Promise<void> {
    if (ruleIds.length === 0 || this.#isStopped) return;
    try {
      await this.#policies.evaluate({ ruleIds }, trigger);
    } catch (error) {
      this.#log.error({ event: 'policy.schedule_failed', trigger, err: error }, 'evaluation of rules failed');
    }
  }

  #scheduled(): readonly ScheduledRule[] {
    return this.#policies.rules
      .list()
      .filter(({ rule }) => rule.enabled && rule.schedule !== 'manual')
      .map(({ rule: { id, schedule: text } }) => ({
        id,
        name: PREFIX + id,
        text,
        schedule: parseSchedule(text),
      }));
  }
}

/** Another text begins anew. */
function keyOf({ id, text }: ScheduledRule): string {
  return JSON.stringify([id, text]);
}

function idsOf(rules: readonly ScheduledRule[]): readonly string[] {
  return rules.map(({ id }) => id);
}

function nextTimeMs(schedule: Schedule, afterMs: number): number {
  if (schedule.kind === 'every') return afterMs + schedule.ms;
  return (schedule.kind === 'cron' ? nextCronMs(schedule.expression, afterMs) : undefined) ?? Infinity;
}

/** Several syncs may have the time of the last one. */
function lastSyncOf(connectorId: string, syncs: readonly SyncMark[]): Tick {
  const ours = syncs.filter(({ connector_id: id }) => connectorId === ANY_CONNECTOR || connectorId === id);
  const atMs = Math.max(0, ...ours.map(({ synced_at: at }) => Date.parse(at)));
  const causes = ours.filter(({ synced_at: at }) => Date.parse(at) === atMs);
  if (causes.length === 0) return { atMs };
  return {
    atMs,
    cause: JSON.stringify(causes.map(({ connector_id, sync_id }) => [connector_id, sync_id]).sort()),
  };
}
