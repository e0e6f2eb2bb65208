import { Module } from '@nestjs/common';
import { makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { constructed, settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { EvaluationPool } from './pool/evaluation-pool.ts';
import { evaluationThreads, startEvaluationWorker } from './service/evaluation-thread.ts';
import { PastPolicies } from './service/past-policies.ts';
import { Policies } from './service/policies.ts';
import {
  EVALUATIONS,
  PolicyMetrics,
  RULE_DURATION,
  RULE_EVALUATIONS,
  RULE_RUNS,
} from './service/policy-metrics.ts';
import { PolicyScheduler } from './service/policy-scheduler.ts';
import { PolicySettings } from './service/policy-settings.ts';
import { RuleFiles } from './service/rule-files.ts';

/** Rules from files and the API over the running graph, evaluated by threads, on request and by schedule. */
@Module({
  imports: [PlatformModule, GraphModule],
  providers: [
    settingsOf(PolicySettings),
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
    PolicyMetrics,
    makeCounterProvider({ name: EVALUATIONS, help: 'evaluations of any number of rules', registers: [] }),
    makeCounterProvider({
      name: RULE_EVALUATIONS,
      help: 'rules evaluated, by outcome',
      labelNames: ['status'],
      registers: [],
    }),
    makeCounterProvider({
      name: RULE_RUNS,
      help: 'rules evaluated, by kind: run, or last result reused because no input changed',
      labelNames: ['kind'],
      registers: [],
    }),
    makeHistogramProvider({
      name: RULE_DURATION,
      help: 'duration of the evaluation of a rule',
      buckets: [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
      registers: [],
    }),
    makeGaugeProvider({
      name: 'plexus_rules',
      help: 'rules of files and of the API',
      registers: [],
      inject: [Policies],
      collect(this: Gauge, { rules }: Policies) {
        this.set(rules.list().length);
      },
    }),
    {
      provide: Policies,
      inject: [Graph, EvaluationPool, PolicyMetrics, PolicySettings, Clock, Log, Resources],
      useFactory: async (
        graph: Graph,
        evaluator: EvaluationPool,
        { evaluated: onEvaluated }: PolicyMetrics,
        { ruleTimeout: ruleTimeoutMs }: PolicySettings,
        clock: Clock,
        log: Log,
        resources: Resources,
      ): Promise<Policies> => {
        const { documents } = graph;
        const options = { documents, evaluator, graph, log, ruleTimeoutMs, onEvaluated, clock };
        const policies = await Policies.open(options);
        // A running evaluation ends before its threads are closed.
        resources.add(() => policies.idle());
        return policies;
      },
    },
    constructed(PastPolicies, [Policies, EvaluationPool, Graph, PolicySettings, Clock]),
    {
      provide: RuleFiles,
      inject: [Policies, Disk, PolicySettings, Log],
      useFactory: async (
        policies: Policies,
        disk: Disk,
        settings: PolicySettings,
        log: Log,
      ): Promise<RuleFiles> => {
        const files = new RuleFiles(policies, disk, settings, log);
        await files.read();
        return files;
      },
    },
    constructed(PolicyScheduler, [Policies, Graph, Clock, Log]),
  ],
  exports: [Policies, PastPolicies, PolicyScheduler, RuleFiles],
})
export class PolicyModule {}
