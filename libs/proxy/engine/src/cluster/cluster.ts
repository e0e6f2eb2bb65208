/**
 * A cluster at run time. Hot path: `acquire` and `takeBack` run once for each request.
 *
 * 1. A request gets a lease on an available target, or a refusal, or waits in the line for a place: first
 *    come, first served. It chooses its target only when it has a place.
 * 2. A released lease frees a place; the line is served before `release` returns. A request that is tried
 *    again keeps its place.
 * 3. The same object lives as long as the configuration has a cluster of this name. A reload changes it in
 *    place, in one step, so that limits and counts persist across reloads.
 */
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { BreakerRejection, ClusterSnapshot } from '../source/snapshot.ts';
import { Breaker, type BreakerCounts } from './breaker.ts';
import { ClientShares } from './client-shares.ts';
import { snapshotCluster } from './cluster-snapshot.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type AttemptEnd,
  Lease,
  type LeaseOwner,
  type NextAttempt,
  NO_HEALTHY_ENDPOINT,
  type Refusal,
} from './lease.ts';
import { type ObservedTargets, OutlierDetector } from './outlier-detector.ts';
import { PassedOver } from './passed-over.ts';
import { Retries, type RetryPermit } from './retries.ts';
import type { ClusterContext, Suspicion, Timers } from './target/cluster-context.ts';
import { Durations } from './target/durations.ts';
import { concernsEndpoint } from './target/endpoint-counters.ts';
import type { Target } from './target/target.ts';
import { TargetsInService } from './targets-in-service.ts';
import { UpstreamFailures } from './upstream-failures.ts';
import { type Waiter, WaitingLine, type WaitingPlace } from './waiting-line.ts';

const NONE: readonly Target[] = [];
const SWITCHING_PROTOCOLS = 101;

export class Cluster implements LeaseOwner, ObservedTargets {
  readonly name: string;
  readonly failures: UpstreamFailures;
  readonly #context: ClusterContext;
  readonly #timers: Timers;
  readonly #breaker: Breaker;
  readonly #shares = new ClientShares();
  readonly #line = new WaitingLine(this.#shares);
  readonly #retries = new Retries();
  readonly #passedOver: PassedOver;
  readonly #service: TargetsInService;
  readonly #outliers: OutlierDetector;
  #config: ClusterConfig;
  #endpoints: readonly Endpoint[] = [];
  #byAddress: ReadonlyMap<string, Endpoint> = new Map();
  #sharedDurations: Durations | undefined;
  #noHealthyEndpoint = 0;
  #isServing = false;

  constructor(config: ClusterConfig, counts: BreakerCounts, context: ClusterContext) {
    const { timers, emit, supervisor } = context;
    this.#context = context;
    this.name = config.name;
    this.#config = config;
    this.#timers = timers;
    this.failures = new UpstreamFailures(config.name, timers, emit);
    this.#breaker = new Breaker(config.circuitBreaker, counts);
    this.#service = new TargetsInService(config, context.random);
    this.#passedOver = new PassedOver(timers);
    this.#outliers = new OutlierDetector(config.name, this, timers, emit, supervisor);
  }

  get config(): ClusterConfig {
    return this.#config;
  }

  /** The endpoints in the order of the file. */
  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Finds an endpoint by its address as written in the file. */
  findEndpoint(address: string): Endpoint | undefined {
    return this.#byAddress.get(address);
  }

  get targets(): readonly Target[] {
    return this.#service.targets;
  }

  /** Whether no name of its endpoints has an address. */
  get isUnresolved(): boolean {
    return this.targets.length === 0 && this.#endpoints.length > 0;
  }

  get available(): readonly Target[] {
    return this.#service.available;
  }

  /**
   * A place for a request. `key` is the value of the configuration's `hashKey`, used by `ring_hash` only.
   * Without a waiter, a request is rejected when no connection is free; with a waiter it may have to wait,
   * and `waiter` is called later. `client` is the address of the requesting client, which is limited to its
   * share.
   */
  acquire(key: string): Lease | Refusal;
  acquire(key: string, waiter: Waiter, client?: string): Lease | Refusal | WaitingPlace;
  acquire(key: string, waiter?: Waiter, client = ''): Lease | Refusal | WaitingPlace {
    this.#retries.noteRequest(this.#timers.monotonicMs());
    if (this.available.length === 0) return this.#refuseForHealth();
    const breaker = this.#breaker;
    if (!breaker.hasShare(this.#shares.of(client))) return this.#refuse('max_requests_per_client');
    if (!breaker.hasRequest) return this.#refuse('max_requests');
    if (breaker.hasConnection && this.#line.length === 0) return this.#lease(key, client);
    const { maxPendingRequests } = breaker.limits;
    if (waiter === undefined || maxPendingRequests === 0) return this.#refuse('max_connections');
    if (this.#line.length >= maxPendingRequests) return this.#refuse('max_pending_requests');
    return this.#line.join({ key, client }, waiter);
  }

  /** A place for a TCP connection, which never waits. */
  acquireConnection(key: string): Lease | Refusal {
    this.#retries.noteRequest(this.#timers.monotonicMs());
    if (this.available.length === 0) return this.#refuseForHealth();
    if (!this.#breaker.hasConnection) return this.#refuse('max_connections');
    return this.#lease(key, undefined);
  }

  /** Whether a request that none of `tried` has accepted goes on to another target; counts it. */
  failOver(tried: readonly Target[]): boolean {
    const isLeft = this.#service.hasUntried(tried);
    if (isLeft) this.#retries.noteFailOver();
    return isLeft;
  }

  /** Requests a permit to retry. It is released when the request has ended. */
  acquireRetry(): RetryPermit | undefined {
    const { retry, circuitBreaker } = this.#config;
    if (retry === undefined) return undefined;
    return this.#retries.take(circuitBreaker.maxRetries, retry.budgetPercent, this.#timers.monotonicMs());
  }

  /** Called by {@link Lease.release} only. */
  takeBack(lease: Lease, end: AttemptEnd): void {
    this.#noteEnd(lease, end);
    this.#giveBack(lease);
  }

  /** Called by {@link Lease.passOn} only. */
  passOn(lease: Lease, end: AttemptEnd, { key, tried }: NextAttempt): Lease | Refusal {
    this.#noteEnd(lease, end);
    const target = this.#service.pick(key, tried);
    if (target !== undefined) return this.#begin(target, lease.client);
    this.#giveBack(lease);
    return this.#refuseForHealth();
  }

  /** Called by {@link Lease.answered} only. */
  noteAnswer(target: Target): void {
    this.#passedOver.remove(target);
  }

  /**
   * The target that a request with this key would get now; undefined when the choice is random, or none is
   * available.
   */
  peek(key: string): Target | undefined {
    return this.#service.peek(key);
  }

  /** Called when availability may have changed. */
  refresh(): void {
    this.#service.refresh();
    this.#context.onAvailability?.(this.name);
  }

  /** Ejects a target that failed in another process often enough in a row. */
  eject({ address, ip, reason }: Suspicion): void {
    const target = this.findEndpoint(address)?.targets.find((each) => each.ip === ip);
    if (target !== undefined) this.#outliers.eject(target, reason);
  }

  /** Applies a configuration with these endpoints. */
  configure(config: ClusterConfig, endpoints: readonly Endpoint[]): void {
    this.#config = config;
    this.#endpoints = endpoints;
    this.#byAddress = new Map(endpoints.map((endpoint) => [endpoint.address.text, endpoint]));
    this.#breaker.limits = config.circuitBreaker;
    this.#service.configure(config, endpoints);
    this.#outliers.configure(config.outlierDetection);
    this.#serveLine();
  }

  /** Ends the ejection of a removed target. */
  forget(target: Target): void {
    this.#outliers.forget(target);
    this.#passedOver.remove(target);
  }

  /** The durations that endpoints without their own share. */
  shareDurations(): Durations {
    this.#sharedDurations ??= new Durations();
    return this.#sharedDurations;
  }

  snapshot(): ClusterSnapshot {
    return snapshotCluster(this, {
      breaker: this.#breaker.snapshot(this.#line.length),
      retries: this.#retries.snapshot(this.#config.circuitBreaker.maxRetries),
      noHealthyEndpoint: this.#noHealthyEndpoint,
      upstreamFailures: this.failures.counts(),
      sharedDurations: this.#sharedDurations,
      nowMs: this.#timers.monotonicMs(),
    });
  }

  #lease(key: string, client: string | undefined): Lease | Refusal {
    const target = this.#service.pick(key, NONE);
    if (target === undefined) return this.#refuseForHealth();
    this.#breaker.take(client !== undefined);
    if (client !== undefined) this.#shares.take(client);
    return this.#begin(target, client);
  }

  /** An attempt, in a place that was taken before. */
  #begin(target: Target, client: string | undefined): Lease {
    if (target.isOnTrial) this.#passedOver.tryOut(target, this.#config.connectTimeoutMs);
    target.activeRequests += 1;
    target.counters.countStart();
    return new Lease(this, target, client, this.#timers.monotonicMs());
  }

  #noteEnd({ target, isRequest, startedMs }: Lease, { outcome, statusCode }: AttemptEnd): void {
    target.activeRequests -= 1;
    target.counters.countEnd(outcome, statusCode);
    if (isRequest && concernsEndpoint(outcome) && statusCode !== SWITCHING_PROTOCOLS) {
      const nowMs = this.#timers.monotonicMs();
      target.counters.durations.add(nowMs - startedMs, nowMs);
    }
    this.#outliers.observe(target, outcome);
    const hasRefused = outcome === 'connect_failure' || (outcome === 'reset' && statusCode === 0);
    if (hasRefused && !this.#outliers.awaits(target)) this.#passedOver.add(target);
  }

  #giveBack({ isRequest, client }: Lease): void {
    this.#breaker.giveBack(isRequest);
    if (client !== undefined) this.#shares.giveBack(client);
    if (this.#line.length > 0) this.#serveLine();
  }

  #refuse(limit: BreakerRejection): Refusal {
    this.failures.note({ reason: 'no_free_place', code: limit });
    return this.#breaker.refuse(limit);
  }

  #refuseForHealth(): Refusal {
    this.#noHealthyEndpoint += 1;
    const code = NO_HEALTHY_ENDPOINT.kind;
    this.failures.note(this.isUnresolved ? { reason: 'dns' } : { reason: 'no_free_place', code });
    return NO_HEALTHY_ENDPOINT;
  }

  /** A called waiter may release a lease at once: the running loop continues, and no second one starts. */
  #serveLine(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#line.length > 0 && this.#breaker.hasConnection && this.#breaker.hasRequest) {
        const place = this.#line.next();
        if (place === undefined) break;
        const { key, client } = place.wanted;
        place.waiter.placed(this.#lease(key, client));
      }
    } finally {
      this.#isServing = false;
    }
  }
}
