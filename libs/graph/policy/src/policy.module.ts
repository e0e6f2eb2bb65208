import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { FirstStart, Graph } from '#graph/engine';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { EvaluationPool } from './pool/evaluation-pool.ts';
import { Policies } from './service/policies.ts';
import { EvaluationListener } from './service/policy-ports.ts';
import { PolicyMetrics } from './service/policy-metrics.ts';
import { PolicyScheduler } from './service/policy-scheduler.ts';
import { PolicySettings } from './service/policy-settings.ts';
import { RuleFiles } from './service/rule-files.ts';
import { evaluationThreads, startEvaluationWorker } from './service/evaluation-thread.ts';

/** Rules from files and the API over the running graph, evaluated by threads, on request and by schedule. */
@Module({
  providers: [
    {
      provide: EvaluationPool,
      inject: [PolicySettings, Resources],
      useFactory: (settings: PolicySettings, resources: Resources): EvaluationPool => {
        const threads = evaluationThreads(settings);
        const pool = new EvaluationPool({ startWorker: startEvaluationWorker, threads });
        resources.add(() => pool.close());
        return pool;
      },
    },
    {
      provide: PolicyMetrics,
      inject: [Registry],
      useFactory: (registry: Registry) => new PolicyMetrics(registry),
    },
    {
      provide: Policies,
      // FirstStart: rules are evaluated on the data that a first start loads.
      inject: [
        Graph,
        EvaluationPool,
        PolicyMetrics,
        PolicySettings,
        Clock,
        Log,
        Resources,
        { token: FirstStart, optional: true },
        { token: EvaluationListener, optional: true },
      ],
      useFactory: openPolicies,
    },
    {
      provide: RuleFiles,
      inject: [Policies, Disk, PolicySettings, Log],
      useFactory: async (
        policies: Policies,
        disk: Disk,
        { rules: directory }: PolicySettings,
        log: Log,
      ): Promise<RuleFiles> => {
        const files = new RuleFiles({ directory, disk, policies, log });
        await files.read();
        return files;
      },
    },
    {
      provide: PolicyScheduler,
      inject: [Policies, RuleFiles, Graph, Clock, Log, Resources, { token: FirstStart, optional: true }],
      useFactory: startScheduler,
    },
  ],
  exports: [Policies, RuleFiles],
})
export class PolicyModule {}

async function openPolicies(
  ...[graph, evaluator, metrics, { ruleTimeout: ruleTimeoutMs }, clock, log, resources, , listener]: [
    Graph,
    EvaluationPool,
    PolicyMetrics,
    PolicySettings,
    Clock,
    Log,
    Resources,
    FirstStart | undefined,
    EvaluationListener | undefined,
  ]
): Promise<Policies> {
  const policies = await Policies.open({
    documents: graph.documents,
    evaluator,
    graph,
    log,
    ruleTimeoutMs,
    onEvaluated: metrics.evaluated,
    clock,
    listener,
  });
  metrics.countRules(() => policies.rules.list().length);
  // A running evaluation ends before its threads are closed.
  resources.add(() => policies.idle());
  return policies;
}

/** Starts after the rule files are loaded. */
function startScheduler(
  ...[policies, , graph, clock, log, resources, firstStart]: [
    Policies,
    RuleFiles,
    Graph,
    Clock,
    Log,
    Resources,
    FirstStart | undefined,
  ]
): PolicyScheduler {
  const scheduler = new PolicyScheduler({ policies, graph, log, clock });
  scheduler.start();
  resources.add(() => scheduler.stop());
  if (firstStart?.loaded !== undefined) scheduler.loaded();
  return scheduler;
}
