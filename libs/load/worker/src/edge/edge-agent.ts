import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { Registry } from 'prom-client';
import { HiveClient, type LinkEvents } from '#load/protocol';
import { DomainError, type Secret, VERSION } from '#platform/foundation';
import type { TlsMaterial } from '#platform/grpc';
import type { Log } from '#platform/observability';
import { LoadCounters } from '../ledger/tally.ts';
import type { EdgeConfig } from './edge-config.ts';
import { EdgeMetrics, registerConnection } from './edge-metrics.ts';
import { EdgeRunService } from './edge-run-service.ts';

export interface EdgeAgentOptions {
  readonly config: EdgeConfig;
  readonly tls: TlsMaterial | undefined;
  /** Shown to the hive, where it asks for one. */
  readonly hiveKey?: Secret | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Log;
  /** Maximum time without contact to the hive before a run stops sending. Default 10 s. */
  readonly hiveSilentMsMax?: number;
}

/** The state of an edge for its health page. */
export interface EdgeState {
  readonly edge_id: string;
  readonly hive: 'connected' | 'disconnected';
  /** Id of the current run; null if there is none. */
  readonly run_id: string | null;
  readonly phase: string;
}

/** Time for a run to drain and settle at shutdown. */
const CLOSE_MS_MAX = 20_000;
const HIVE_SILENT_MS_MAX = 10_000;

/** An edge: keeps a connection to its hive, and executes the hive's orders. */
export class EdgeAgent {
  /** The metrics of this edge. */
  readonly metrics = new Registry();
  readonly #options: EdgeAgentOptions;
  readonly #runs: EdgeRunService;
  readonly #hive: HiveClient;
  readonly #eviction = Promise.withResolvers<never>();
  #isDisconnectionLogged = false;

  /** Throws CERTIFICATE_INVALID. */
  constructor(options: EdgeAgentOptions) {
    const { config, tls, hiveKey: key, environment, logger, hiveSilentMsMax = HIVE_SILENT_MS_MAX } = options;
    const counters = new LoadCounters();
    const cores = availableParallelism();
    const signers = config.workers === 0 ? Math.max(1, cores - 1) : config.workers;
    this.#options = options;
    // Prevents an unhandled rejection; callers that await the promise receive the error.
    this.#eviction.promise.catch(() => undefined);
    const runs = new EdgeRunService({ config, signers, environment, hiveSilentMsMax, counters, logger });
    const metrics = new EdgeMetrics(this.metrics, { counters, runs });
    this.#runs = runs;
    this.#hive = new HiveClient({
      address: config.hive.address,
      tls,
      key,
      identity: {
        edgeId: config.edge_id,
        instanceId: randomUUID(),
        version: VERSION,
        hostname: hostname(),
        labels: config.labels,
        workers: signers,
        cores,
      },
      orders: runs,
      link: this.#linkEvents(),
      heartbeat: () => {
        const { chainId, isRpcFine, feed, runId } = runs.state;
        const rpc = { chainId, isOk: isRpcFine };
        return { rpc, feed, currentRunId: runId, samples: metrics.samples() };
      },
    });
    registerConnection(this.metrics, this.#hive);
  }

  get state(): EdgeState {
    const { runId, phase } = this.#runs.state;
    const hive = this.#hive.isConnected ? 'connected' : 'disconnected';
    return { edge_id: this.#options.config.edge_id, hive, run_id: runId === '' ? null : runId, phase };
  }

  /** Rejects with EDGE_EVICTED when the hive has evicted this edge. */
  get evicted(): Promise<never> {
    return this.#eviction.promise;
  }

  open(): void {
    this.#runs.serve(this.#hive);
    this.#hive.open();
  }

  /** Stops the run, lets it settle, deregisters, and disconnects from the hive. */
  async close(): Promise<void> {
    await this.#runs.close(CLOSE_MS_MAX);
    await this.#hive.close({ isLeaving: true });
  }

  /** Nest's hook before HTTP closes: the metrics can be scraped until the run has ended. */
  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  #linkEvents(): LinkEvents {
    const { logger, config } = this.#options;
    const { address } = config.hive;
    return {
      connected: () => {
        this.#isDisconnectionLogged = false;
        logger.info({ event: 'hive.connected', address }, 'connected to the hive');
      },
      disconnected: (reason) => {
        const fields = { event: 'hive.disconnected', address, reason };
        if (this.#isDisconnectionLogged) logger.debug(fields, 'hive unavailable, retrying');
        else logger.warn(fields, 'hive unavailable, retrying');
        this.#isDisconnectionLogged = true;
      },
      evicted: (reason) => {
        this.#eviction.reject(new DomainError('EDGE_EVICTED', `evicted by the hive: ${reason}`));
      },
      batchesRefused: (runId, code, events) => {
        logger.warn(
          { event: 'hive.refused_batches', run_id: runId, code, events },
          'telemetry batches rejected by the hive',
        );
      },
    };
  }
}
