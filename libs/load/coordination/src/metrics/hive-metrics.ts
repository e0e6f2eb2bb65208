import { Counter, Gauge, type Registry } from 'prom-client';
import { CHECKS, type Check } from '#load/oracle';
import type { MetricSample } from '#load/protocol';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { waitingFor } from '../record/run-state.ts';
import type { RunData } from '../run/run-data.ts';
import { registerLoadMetrics } from './load-metrics.ts';

const PREFIX = 'plexus_';

/** What edges count, and by which labels. Whatever else an edge sends is left out. */
const EDGE_METRICS = [
  {
    name: 'tx_failed_total',
    help: 'transactions that failed, by class; expected: the mix wants that failure',
    labels: ['class', 'expected'],
  },
  {
    name: 'correlation_misses',
    help: 'transactions that were taken and not seen in the feed in time',
    labels: [],
  },
  { name: 'feed_messages_total', help: 'feed messages received', labels: [] },
  {
    name: 'events_dropped_total',
    help: 'telemetry events that an edge had no room for, by kind',
    labels: ['kind'],
  },
] as const;

const LABEL = /^[a-z0-9_]{1,64}$/;

export interface MetricSources {
  readonly sessions: EdgeSessions;
  readonly run: () => RunData | undefined;
  /** The one that goes on, or the last one of this process. */
  readonly latest: () => RunData | undefined;
}

/** What the hive and its edges tell of themselves, read when the page is scraped. */
export class HiveMetrics {
  readonly #violations: Counter<'check'>;
  /** Of the run that goes on; the counter counts on over runs. */
  #counted: { readonly runId: string; readonly counts: Readonly<Record<Check, number>> } | undefined;

  constructor(registry: Registry, sources: MetricSources) {
    this.#violations = new Counter({
      name: `${PREFIX}oracle_violations_total`,
      help: 'violations that the oracle found, by check',
      labelNames: ['check'],
      registers: [registry],
    });
    for (const check of CHECKS) this.#violations.inc({ check }, 0);
    registerEdgeMetrics(registry, sources.sessions);
    registerGauges(registry, sources);
    registerLoadMetrics(registry, sources.latest);
  }

  /** The run has more violations than it had. */
  violated({ runId, violations }: RunData): void {
    const before = this.#counted?.runId === runId ? this.#counted.counts : undefined;
    for (const check of CHECKS) {
      this.#violations.inc({ check }, Math.max(0, violations[check] - (before?.[check] ?? 0)));
    }
    this.#counted = { runId, counts: violations };
  }
}

/** Counters of edges as they last said them; those of an edge that is removed go with it. */
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

/** The labels that the metric has; undefined when one is missing, or no name. */
function labelsOf(sample: MetricSample, names: readonly string[]): Record<string, string> | undefined {
  const entries = names.map((name) => [name, sample.labels[name] ?? ''] as const);
  return entries.every(([, value]) => LABEL.test(value)) ? Object.fromEntries(entries) : undefined;
}

function registerGauges(registry: Registry, { sessions, run }: MetricSources): void {
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
  new Gauge({
    name: `${PREFIX}hive_run_active`,
    help: '1 while a run has not ended',
    registers: [registry],
    collect() {
      this.set(Number(run() !== undefined));
    },
  });
  new Gauge({
    name: `${PREFIX}hive_run_waiting_for`,
    help: 'edges that a run which is Starting waits for',
    registers: [registry],
    collect() {
      const runData = run();
      this.set(runData === undefined ? 0 : waitingFor(runData.state).length);
    },
  });
}
