import { availableParallelism } from 'node:os';
import type { Registry } from 'prom-client';
import type { Clock } from '#foundation';
import type { Graph } from '#graph';
import type { Log } from '#observability';
import { EvaluationPool, Policies, PolicyScheduler } from '#policy';
import type { GraphSettings } from '../settings.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import { readRuleFiles } from './rule-files.ts';
import { startEvaluationWorker } from './start-evaluation-worker.ts';

export interface PolicyDeskParts {
  readonly graph: Graph;
  readonly settings: GraphSettings;
  readonly logger: Log;
  readonly registry: Registry;
  readonly clock?: Clock;
}

/** Policies over a running graph: its threads, its rule files, its metrics. */
export class PolicyDesk {
  readonly policies: Policies;
  readonly #pool: EvaluationPool;
  readonly #scheduler: PolicyScheduler;
  readonly #directory: string;
  readonly #log: Log;

  /** POLICY_INVALID or RULE_FROM_FILE for files that cannot be taken, INVALID_CONFIG for no directory. */
  static async open({ graph, settings, logger: log, registry, clock }: PolicyDeskParts): Promise<PolicyDesk> {
    const threads = evaluationThreads(settings);
    const pool = new EvaluationPool({ startWorker: startEvaluationWorker, threads });
    const metrics = new PolicyMetrics(registry, () => policies.rules.list().length);
    const policies = await Policies.open({
      documents: graph.documents,
      evaluator: pool,
      snapshot: () => graph.snapshot(),
      log,
      ruleTimeoutMs: settings.ruleTimeout,
      onEvaluated: metrics.evaluated,
      ...(clock && { clock }),
    });
    const scheduler = new PolicyScheduler({ policies, log, ...(clock && { clock }) });
    const desk = new PolicyDesk({ policies, pool, scheduler, directory: settings.rules, log });
    await desk.#readFiles();
    scheduler.start();
    graph.onSynced((connectorId) => scheduler.synced(connectorId));
    return desk;
  }

  private constructor(parts: {
    policies: Policies;
    pool: EvaluationPool;
    scheduler: PolicyScheduler;
    directory: string;
    log: Log;
  }) {
    this.policies = parts.policies;
    this.#pool = parts.pool;
    this.#scheduler = parts.scheduler;
    this.#directory = parts.directory;
    this.#log = parts.log;
  }

  /** Reads the rule files again. Faulty ones are logged, and the rules stay as they were. */
  async reload(): Promise<void> {
    try {
      await this.#readFiles();
    } catch (error) {
      this.#log.error({ event: 'policy.reload_failed', err: error }, 'kept the rules as they were');
    }
  }

  /** Waits for an evaluation under way. */
  async close(): Promise<void> {
    this.#scheduler.stop();
    await this.policies.idle();
    await this.#pool.close();
  }

  async #readFiles(): Promise<void> {
    if (this.#directory === '') return;
    const rules = await readRuleFiles(this.#directory);
    this.policies.rules.setFileRules(rules);
    const fields = { event: 'policy.rules_read', directory: this.#directory, rules: rules.length };
    this.#log.info(fields, 'read rule files');
  }
}

export function evaluationThreads({ ruleThreads }: Pick<GraphSettings, 'ruleThreads'>): number {
  return ruleThreads === 0 ? availableParallelism() : ruleThreads;
}
