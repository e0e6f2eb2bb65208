import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Disk } from '#disk';
import { Clock, Resources } from '#foundation';
import { Graph } from '#graph';
import { Log } from '#observability';
import { EvaluationPool, Policies, PolicyScheduler } from '#policy';
import { FirstStart } from '../first-start/first-start.module.ts';
import { EvaluationsController } from '../http/policies/evaluations.controller.ts';
import { PoliciesController } from '../http/policies/policies.controller.ts';
import { GRAPH_SETTINGS, type GraphSettings } from '../settings.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import { RuleFiles } from './rule-files.ts';
import { evaluationThreads, startEvaluationWorker } from './start-evaluation-worker.ts';

/** Rules over the running graph: of files and of the API, evaluated by threads, asked for and by schedule. */
@Module({
  controllers: [EvaluationsController, PoliciesController],
  providers: [
    {
      provide: EvaluationPool,
      inject: [GRAPH_SETTINGS, Resources],
      useFactory: (settings: GraphSettings, resources: Resources): EvaluationPool => {
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
      // FirstStart: rules find what a first start loads.
      inject: [Graph, EvaluationPool, PolicyMetrics, GRAPH_SETTINGS, Clock, Log, Resources, FirstStart],
      useFactory: openPolicies,
    },
    {
      provide: RuleFiles,
      inject: [Policies, Disk, GRAPH_SETTINGS, Log],
      useFactory: async (
        policies: Policies,
        disk: Disk,
        { rules: directory }: GraphSettings,
        log: Log,
      ): Promise<RuleFiles> => {
        const files = new RuleFiles({ directory, disk, policies, log });
        await files.read();
        return files;
      },
    },
    {
      provide: PolicyScheduler,
      inject: [Policies, RuleFiles, Graph, Clock, Log, Resources],
      useFactory: startScheduler,
    },
  ],
  exports: [Policies, RuleFiles],
})
export class PolicyModule {}

async function openPolicies(
  ...[graph, evaluator, metrics, { ruleTimeout: ruleTimeoutMs }, clock, log, resources]: [
    Graph,
    EvaluationPool,
    PolicyMetrics,
    GraphSettings,
    Clock,
    Log,
    Resources,
    FirstStart,
  ]
): Promise<Policies> {
  const policies = await Policies.open({
    documents: graph.documents,
    evaluator,
    snapshot: () => graph.snapshot(),
    log,
    ruleTimeoutMs,
    onEvaluated: metrics.evaluated,
    clock,
  });
  metrics.countRules(() => policies.rules.list().length);
  // An evaluation under way ends before its threads do.
  resources.add(() => policies.idle());
  return policies;
}

/** Once the rules of the files are there. */
function startScheduler(
  ...[policies, , graph, clock, log, resources]: [Policies, RuleFiles, Graph, Clock, Log, Resources]
): PolicyScheduler {
  const scheduler = new PolicyScheduler({ policies, log, clock });
  scheduler.start();
  resources.add(() => scheduler.stop());
  graph.onSynced((connectorId) => scheduler.synced(connectorId));
  return scheduler;
}
