import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** The process itself: CPU, memory, garbage collection, event-loop lag, and which build runs. */
export function registerProcessMetrics(registry: Registry, prefix: string, version: string): void {
  collectDefaultMetrics({ register: registry, prefix });
  const build = new Gauge({
    name: `${prefix}build_info`,
    help: 'Always 1; the labels say which build runs',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
}
