import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { VERSION } from '#platform/foundation';
import { droppedLogLines } from '../logging/standard-error-log.ts';

/** Starts the name of every metric. */
const PREFIX = 'plexus_';

/** The process itself: CPU, memory, garbage collection, event-loop lag, its log, and which build runs. */
export function registerProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const kind of ['handles', 'requests', 'resources']) {
    // A gauge by a counter's name; the same by type stands beside it.
    registry.removeSingleMetric(`${PREFIX}nodejs_active_${kind}_total`);
  }
  const build = new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the labels say which build runs',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version: VERSION, node: process.versions.node }, 1);
  const dropped = new Counter({
    name: `${PREFIX}log_lines_dropped_total`,
    help: 'Log lines that were dropped because nobody read them in time',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(droppedLogLines());
    },
  });
}
