import { nextCronMs } from '#platform/config';
import { type Clock, systemClock } from '#platform/foundation';
import { ANY_CONNECTOR, parseSchedule, type Schedule } from '../rule/schedule.ts';
import type { EvaluationTrigger } from './evaluation.ts';
import type { Policies } from './policies.ts';
import type { PolicyLog } from './policy-ports.ts';

/** Maximum timer duration; a timer that fires early is set again. */
const SLEEP_MS_MAX = 86_400_000;

interface Appointment {
  readonly schedule: string;
  readonly dueMs: number;
}

export interface PolicySchedulerOptions {
  readonly policies: Policies;
  readonly log: PolicyLog;
  readonly clock?: Clock;
  /** Whether this process runs scheduled evaluations. Default: true. */
  readonly isLeader?: () => boolean;
}

/**
 * Evaluates rules by their schedules; rules due at the same time share one evaluation. Rules without a
 * schedule never run automatically, except once after a first start has loaded data. Runs missed while the
 * service was down are not repeated.
 */
export class PolicyScheduler {
  readonly #policies: Policies;
  readonly #log: PolicyLog;
  readonly #clock: Clock;
  #appointments: ReadonlyMap<string, Appointment> = new Map();
  #timer: NodeJS.Timeout | undefined;
  readonly #isLeader: () => boolean;
  /** Ids of rules whose evaluation after a sync has not begun: later syncs join it. */
  readonly #dueBySync = new Set<string>();
  #isFollowingSyncs = false;
  #isStopped = false;

  constructor({ policies, log, clock = systemClock, isLeader = () => true }: PolicySchedulerOptions) {
    this.#isLeader = isLeader;
    this.#policies = policies;
    this.#log = log;
    this.#clock = clock;
  }

  start(): void {
    this.#policies.onRulesChanged(() => this.#plan());
    this.#plan();
  }

  /**
   * To be called when a sync is durable, of a connector or of a client in its name. Syncs during an
   * evaluation share the next one, so that many at once are not TOO_BUSY.
   */
  synced(connectorId: string): void {
    for (const { id, schedule } of this.#scheduled()) {
      if (schedule.kind !== 'on_sync') continue;
      const of = schedule.connectorId;
      if (of === ANY_CONNECTOR || of === connectorId) this.#dueBySync.add(id);
    }
    if (!this.#isFollowingSyncs) void this.#followSyncs();
  }

  async #followSyncs(): Promise<void> {
    this.#isFollowingSyncs = true;
    while (this.#dueBySync.size > 0) {
      const due = [...this.#dueBySync];
      this.#dueBySync.clear();
      await this.#evaluate(due, 'sync');
    }
    this.#isFollowingSyncs = false;
  }

  /** Evaluates all rules after a first start has loaded data, so that there is a posture. */
  loaded(): void {
    const rules = this.#policies.rules.list().filter(({ rule }) => rule.enabled);
    const ids = rules.map(({ rule }) => rule.id);
    void this.#evaluate(ids, 'first_start');
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Rules with an unchanged schedule keep their due time. */
  #plan(): void {
    const nowMs = this.#clock.nowMs();
    const planned = this.#scheduled().flatMap(({ id, text, schedule }) => {
      const before = this.#appointments.get(id);
      const dueMs =
        before?.schedule === text && before.dueMs > nowMs ? before.dueMs : nextMs(schedule, nowMs);
      return dueMs === undefined ? [] : [[id, { schedule: text, dueMs }] as const];
    });
    this.#appointments = new Map(planned);
    this.#setTimer(nowMs);
  }

  #setTimer(nowMs: number): void {
    clearTimeout(this.#timer);
    const nextDueMs = Math.min(...Array.from(this.#appointments.values(), ({ dueMs }) => dueMs));
    if (this.#isStopped || nextDueMs === Infinity) return;
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(0, nextDueMs - nowMs), SLEEP_MS_MAX));
    this.#timer.unref();
  }

  #wake(): void {
    const nowMs = this.#clock.nowMs();
    const due = [...this.#appointments].filter(([, { dueMs }]) => dueMs <= nowMs).map(([id]) => id);
    this.#plan();
    void this.#evaluate(due, 'schedule');
  }

  /** A failure is logged. */
  async #evaluate(ruleIds: readonly string[], trigger: EvaluationTrigger): Promise<void> {
    if (ruleIds.length === 0 || this.#isStopped || !this.#isLeader()) return;
    try {
      await this.#policies.evaluate({ ruleIds }, trigger);
    } catch (error) {
      this.#log.error({ event: 'policy.schedule_failed', trigger, err: error }, 'evaluation of rules failed');
    }
  }

  #scheduled(): readonly { readonly id: string; readonly text: string; readonly schedule: Schedule }[] {
    return this.#policies.rules
      .list()
      .filter(({ rule }) => rule.enabled && rule.schedule !== 'manual')
      .map(({ rule }) => ({ id: rule.id, text: rule.schedule, schedule: parseSchedule(rule.schedule) }));
  }
}

function nextMs(schedule: Schedule, nowMs: number): number | undefined {
  if (schedule.kind === 'every') return nowMs + schedule.ms;
  return schedule.kind === 'cron' ? nextCronMs(schedule.expression, nowMs) : undefined;
}
