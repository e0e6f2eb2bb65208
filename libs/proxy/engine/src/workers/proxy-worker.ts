/**
 * A worker of a proxy: it carries traffic under the control of its main process, and ends with it. A stop of
 * the main process need not stop workers, and no worker outlives it.
 */
import { readEnvironment } from '#platform/config';
import { assert } from '#platform/foundation';
import { createLineLog, createLogger, type RunningTracing, startTracing } from '#platform/observability';
import { systemProbe } from '../cluster/health/system-probe.ts';
import { type EndpointAvailability, systemResolve, systemTimers } from '../cluster/target/cluster-context.ts';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import { type ConfigSources, type LoadedConfig, readSources } from '../config/load/load-proxy-config.ts';
import { workerShare } from '../config/worker-share.ts';
import type { DataPlaneChange, DrainTimes } from '../plane/data-plane.port.ts';
import type { SharedPorts } from '../plane/listener-set.ts';
import { LocalPlane } from '../plane/local-plane.ts';
import type { DrainResult } from '../source/proxy-source.port.ts';
import { ProcessChannel } from './process-channel.ts';
import type { MainMethods, WorkerMethods, WorkerReport, WorkerSetup } from './worker-protocol.ts';

const MICROS = 1e6;
const SERVICE = 'plexus-proxy';

class ProxyWorker {
  readonly #setup: WorkerSetup;
  readonly #plane: LocalPlane;
  #change: DataPlaneChange | undefined;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
    this.#plane = new LocalPlane({
      context: {
        timers: systemTimers,
        random: Math.random,
        probe: systemProbe,
        resolve: systemResolve,
        emit: (event) => void main.call('note', event),
        supervisor: { suspect: (suspicion) => main.call('suspect', suspicion) },
      },
      lines: createLineLog(setup.logging),
      ticketSecret: setup.ticketSecret,
    });
  }

  async prepare(sources: ConfigSources, ports: SharedPorts): Promise<readonly string[]> {
    try {
      this.#change = await this.#plane.prepare(this.#read(sources), undefined, ports);
      return [];
    } catch (error) {
      if (error instanceof InvalidProxyConfig) return error.faults;
      throw error;
    }
  }

  async commit(found: readonly EndpointAvailability[]): Promise<void> {
    const change = this.#change;
    assert(change !== undefined, 'expected a configuration to be prepared before it is committed');
    this.#change = undefined;
    // New endpoints have their targets before the first request needs one.
    this.#plane.follow(found);
    await change.commit();
  }

  async abandon(): Promise<void> {
    this.#change?.abandon();
    this.#change = undefined;
  }

  async follow(found: readonly EndpointAvailability[]): Promise<void> {
    this.#plane.follow(found);
  }

  async report(): Promise<WorkerReport> {
    const { user, system } = process.cpuUsage();
    return {
      traffic: this.#plane.look(),
      cpuSeconds: (user + system) / MICROS,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  async drain(times: DrainTimes): Promise<DrainResult> {
    await this.abandon();
    return this.#plane.drain(times);
  }

  #read(sources: ConfigSources): LoadedConfig {
    const loaded = readSources(sources, { environment: readEnvironment(), nowMs: systemTimers.nowMs() });
    return { ...loaded, config: workerShare(loaded.config, this.#setup.place) };
  }
}

let worker: ProxyWorker | undefined;
let tracing: RunningTracing | undefined;

function begun(): ProxyWorker {
  assert(worker !== undefined, 'expected a worker to have begun');
  return worker;
}

const methods: WorkerMethods = {
  begin: async (setup) => {
    worker = new ProxyWorker(setup);
    const log = createLogger(setup.logging);
    tracing = await startTracing({ environment: readEnvironment(), service: SERVICE }, log);
  },
  prepare: (...args) => begun().prepare(...args),
  commit: (...args) => begun().commit(...args),
  abandon: () => begun().abandon(),
  follow: (...args) => begun().follow(...args),
  report: () => begun().report(),
  drain: async (...args) => {
    const result = await begun().drain(...args);
    await tracing?.close();
    return result;
  },
};

// A terminal, or a supervisor, sends these to all processes at once; the main process handles them.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
const main = new ProcessChannel<MainMethods, WorkerMethods>(process, methods);
if (!process.connected) process.exit();
