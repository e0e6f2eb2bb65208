import { Counter, Gauge, Registry } from 'prom-client';
import { CHECKS } from '#load/oracle';
import type { MetricSample } from '#load/protocol';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { waitingFor } from '../record/run-state.ts';
import type { RunService } from '../run/run-service.ts';
import { WEBHOOK_OUTCOMES, type RunWebhooks } from '../webhook/run-webhooks.ts';
import type { Hive } from './hive.ts';
import { registerLoadMetrics } from './load-metrics.ts';

const PREFIX = 'plexus_';

/** The exported metrics of edges with their labels. Other samples of edges are ignored. */
const EDGE_METRICS = [
  {
    name: 'tx_failed_total',
    help: 'failed transactions, by class; expected: the mix intends the failure',
    labels: ['class', 'expected'],
  },
  {
    name: 'correlation_misses',
    help: 'accepted transactions that were not in the feed in time',
    labels: [],
  },
  { name: 'feed_messages_total', help: 'feed messages received', labels: [] },
  {
    name: 'events_dropped_total',
    help: 'telemetry events dropped on full edge buffers, by kind',
    labels: ['kind'],
  },
] as const;

const LABEL = /^[a-z0-9_]{1,64}$/;

/** Metrics of the hive and its edges, read at each scrape. */
export class HiveMetrics extends Registry {
  constructor({ sessions, runs, webhooks }: Pick<Hive, 'sessions' | 'runs' | 'webhooks'>) {
    super();
    registerEdgeMetrics(this, sessions);
    registerEdgeCount(this, sessions);
    registerRunMetrics(this, runs);
    registerLoadMetrics(this, () => runs.shown);
    registerWebhookMetrics(this, webhooks);
  }
}

/** The counters of the latest heartbeats; the series of a removed edge disappear. */
function registerEdgeMetrics(registry: Registry, sessions: EdgeSessions): void {
  for (const { name, help, labels } of EDGE_METRICS) {
    new Counter({
      name: PREFIX + name,
      help,
      labelNames: ['edge_id', ...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const { registration, session } of sessions.list()) {
          for (const sample of session.heartbeat?.samples ?? []) {
            const own = sample.name === PREFIX + name ? labelsOf(sample, labels) : undefined;
            if (own !== undefined)
              this.inc({ edge_id: registration.edgeId, ...own }, Math.max(0, sample.value));
          }
        }
      },
    });
  }
}

/** The labels of the metric; undefined if one is missing or invalid. */
function labelsOf(sample: MetricSample, names: readonly string[]): Record<string, string> | undefined {
  const entries = names.map((name) => [name, sample.labels[name] ?? ''] as const);
  return entries.every(([, value]) => LABEL.test(value)) ? Object.fromEntries(entries) : undefined;
}

function registerEdgeCount(registry: Registry, sessions: EdgeSessions): void {
  new Gauge({
    name: `${PREFIX}hive_edges`,
    help: 'registered edges, by status',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      for (const status of ['connected', 'stale', 'disconnected'] as const) {
        const count = sessions.list().filter(({ session }) => session.status === status).length;
        this.set({ status }, count);
      }
    },
  });
}

function registerRunMetrics(registry: Registry, runs: RunService): void {
  new Counter({
    name: `${PREFIX}oracle_violations_total`,
    help: 'violations found by the oracle, by check',
    labelNames: ['check'],
    registers: [registry],
    collect() {
      this.reset();
      for (const check of CHECKS) this.inc({ check }, runs.violations[check]);
    },
  });
  new Gauge({
    name: `${PREFIX}hive_run_active`,
    help: '1 while any run is active',
    registers: [registry],
    collect() {
      this.set(Number(runs.active.length > 0));
    },
  });
  new Gauge({
    name: `${PREFIX}hive_run_waiting_for`,
    help: 'edges for which Starting runs wait',
    registers: [registry],
    collect() {
      this.set(runs.active.reduce((sum, { run }) => sum + waitingFor(run.state).length, 0));
    },
  });
}

function registerWebhookMetrics(registry: Registry, webhooks: RunWebhooks): void {
  new Counter({
    name: `${PREFIX}hive_webhook_attempts_total`,
    help: 'attempts to post the result of a run, by outcome; given_up: the last of all',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of WEBHOOK_OUTCOMES) this.inc({ outcome }, webhooks.countOf(outcome));
    },
  });
}
