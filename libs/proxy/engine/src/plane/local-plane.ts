import type { LineLog } from '#platform/observability';
import { Clusters } from '../cluster/clusters.ts';
import type { ClusterContext, EndpointAvailability } from '../cluster/target/cluster-context.ts';
import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import { HeadFlusher } from '../http/head-flusher.ts';
import { UpstreamPools } from '../http/upstream-pools.ts';
import { DescriptorBudget } from '../listener/descriptor-budget.ts';
import { Timeouts } from '../listener/timeouts.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { DrainResult, EndpointChange } from '../source/proxy-source.port.ts';
import { DataPlane, type DataPlaneChange, type DrainTimes, type TrafficSnapshot } from './data-plane.port.ts';
import { explainRequest } from './explain-request.ts';
import { FrontFactory, type FrontContext } from './front-factory.ts';
import { ListenerSet, type SharedPorts } from './listener-set.ts';

export interface LocalPlaneParts {
  readonly context: ClusterContext;
  /** The output of access logs; undefined for none. */
  readonly lines: LineLog | undefined;
  /** The secret from which all workers derive their TLS ticket keys; undefined: a single process. */
  readonly ticketSecret?: Uint8Array | undefined;
}

/** The data plane within this process. */
export class LocalPlane extends DataPlane {
  readonly #context: ClusterContext;
  readonly #around: FrontContext;
  readonly #clusters: Clusters;
  readonly #listeners: ListenerSet;

  constructor({ context, lines, ticketSecret }: LocalPlaneParts) {
    super();
    const { timers } = context;
    this.#context = context;
    this.#around = {
      timeouts: new Timeouts(timers),
      pools: new UpstreamPools(timers),
      flusher: new HeadFlusher(),
      lines,
      ticketSecret,
    };
    this.#clusters = new Clusters(context);
    this.#listeners = new ListenerSet(timers, new DescriptorBudget());
  }

  /** Shared ports are bound by several processes. */
  override async prepare(
    loaded: LoadedConfig,
    signal?: AbortSignal,
    shared?: SharedPorts,
  ): Promise<DataPlaneChange> {
    const listeners = await this.#listeners.prepare(loaded, shared);
    const clusters = this.#clusters.prepare(loaded.config.clusters);
    await clusters.warm(signal);
    return {
      commit: () => {
        const factory = new FrontFactory(loaded.config, clusters.commit(), this.#around);
        return listeners.commit(factory, loaded.config.drain);
      },
      abandon: () => {
        listeners.abandon();
        clusters.abandon();
      },
    };
  }

  override async drain({ graceMs, timeoutMs }: DrainTimes): Promise<DrainResult> {
    const startedMs = this.#context.timers.monotonicMs();
    this.#listeners.retire();
    await this.#until(startedMs + graceMs);
    await this.#listeners.close();
    await Promise.race([this.#listeners.whenEmpty(), this.#until(startedMs + timeoutMs)]);
    const { connections, requests } = this.#listeners.cut();
    await this.#listeners.whenEmpty();
    this.#around.pools.close();
    this.#clusters.stop();
    return { cutConnections: connections, cutRequests: requests };
  }

  override async snapshot(): Promise<TrafficSnapshot> {
    return this.look();
  }

  override async setEndpoint(change: EndpointChange): Promise<boolean> {
    return this.#clusters.setEndpoint(change);
  }

  override explain(config: ProxyConfig, question: Question): Explanation {
    return explainRequest(config, this.#clusters.live, question);
  }

  /** A snapshot of this moment. */
  look(): TrafficSnapshot {
    const { cxTotal, cxActive } = this.#listeners.process;
    return {
      downstreamCxTotal: cxTotal,
      downstreamCxActive: cxActive,
      listeners: this.#listeners.snapshot(),
      removedListeners: this.#listeners.removed(),
      drain: { ...this.#listeners.cuts },
      clusters: this.#clusters.snapshot(),
      breakerRejections: this.#clusters.breakerRejections(),
      workers: undefined,
    };
  }

  /** Applies the endpoint states found by a supervisor. */
  follow(found: readonly EndpointAvailability[]): void {
    this.#clusters.follow(found);
  }

  async #until(ms: number): Promise<void> {
    const { timers } = this.#context;
    const leftMs = ms - timers.monotonicMs();
    if (leftMs > 0) await new Promise<void>((resolve) => timers.after(leftMs, resolve));
  }
}
