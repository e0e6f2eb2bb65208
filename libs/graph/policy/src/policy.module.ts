import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Graph } from '#graph/engine';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { EvaluationPool } from './pool/evaluation-pool.ts';
import { Policies } from './service/policies.ts';
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
      inject: [Graph, EvaluationPool, PolicyMetrics, PolicySettings, Clock, Log, Resources],
      useFactory: async (
        graph: Graph,
        evaluator: EvaluationPool,
        metrics: PolicyMetrics,
        { ruleTimeout: ruleTimeoutMs }: PolicySettings,
        clock: Clock,
        log: Log,
        resources: Resources,
      ): Promise<Policies> => {
        const { documents } = graph;
        const onEvaluated = metrics.evaluated;
        const options = { documents, evaluator, graph, log, ruleTimeoutMs, onEvaluated, clock };
        const policies = await Policies.open(options);
        metrics.countRules(() => policies.rules.list().length);
        // A running evaluation ends before its threads are closed.
        resources.add(() => policies.idle());
        return policies;
      },
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
      inject: [Policies, Graph, Clock, Log],
      useFactory: (policies: Policies, graph: Graph, clock: Clock, log: Log): PolicyScheduler =>
        new PolicyScheduler(policies, graph, clock, log),
    },
  ],
  exports: [Policies, PolicyScheduler, RuleFiles],
})
export class PolicyModule {}
