import { unreachable } from '#platform/foundation';
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { Balancer, BalancerParts } from './balancer/balancer.ts';
import { LeastRequest, RandomBalancer } from './balancer/random-balancers.ts';
import { RingHash } from './balancer/ring-hash.ts';
import { RoundRobin } from './balancer/round-robin.ts';
import type { Endpoint } from './endpoint.ts';
import type { Random } from './target/cluster-context.ts';
import type { Target } from './target/target.ts';

/** Where all targets are down, a request does not try a thousand of them. */
const TRIES_OF_FAILED_MAX = 10;

/**
 * The targets of a cluster, the available ones, and a balancer over them. Both lists are rebuilt on a change,
 * which is rare, so that a request finds them ready.
 */
export class TargetsInService {
  readonly #random: Random;
  #endpoints: readonly Endpoint[] = [];
  #targets: readonly Target[] = [];
  #available: readonly Target[] = [];
  #balancer: Balancer;
  #config: ClusterConfig;

  constructor(config: ClusterConfig, random: Random) {
    this.#config = config;
    this.#random = random;
    this.#balancer = this.#makeBalancer();
  }

  get targets(): readonly Target[] {
    return this.#targets;
  }

  /** The targets that can get requests. */
  get available(): readonly Target[] {
    return this.#available;
  }

  configure(config: ClusterConfig, endpoints: readonly Endpoint[]): void {
    this.#config = config;
    this.#endpoints = endpoints;
    this.#refresh(true);
  }

  /** Called when an endpoint or a target has changed. */
  refresh(): void {
    this.#refresh(false);
  }

  pick(key: string, tried: readonly Target[]): Target | undefined {
    return this.#balancer.pick(key, tried);
  }

  /** Whether a target is left to try; of those that have just failed, a few. */
  hasUntried(tried: readonly Target[]): boolean {
    const isOpen = (target: Target): boolean => !target.isPassedOver || tried.length < TRIES_OF_FAILED_MAX;
    return this.#available.some((target) => isOpen(target) && !tried.includes(target));
  }

  peek(key: string): Target | undefined {
    return this.#available.length === 0 ? undefined : this.#balancer.peek(key);
  }

  #refresh(isOtherConfig: boolean): void {
    const targets = this.#endpoints.flatMap((endpoint) => endpoint.targets);
    const available = targets.filter(({ isAvailable, weight }) => isAvailable && weight > 0);
    const isSameTargets = isSameList(targets, this.#targets);
    if (isSameTargets && isSameList(available, this.#available) && !isOtherConfig) return;
    this.#targets = targets;
    this.#available = available;
    // A ring contains all targets, and checks their health itself.
    const isRing = this.#config.lbPolicy === 'ring_hash';
    if (!isRing || !isSameTargets || isOtherConfig) this.#balancer = this.#makeBalancer();
  }

  #makeBalancer(): Balancer {
    const { lbPolicy: policy } = this.#config;
    const random = this.#random;
    return makeBalancer({ policy, targets: this.#targets, available: this.#available, random });
  }
}

function isSameList(some: readonly Target[], others: readonly Target[]): boolean {
  return some.length === others.length && some.every((target, index) => target === others[index]);
}

function makeBalancer({ policy, targets, available, random }: BalancerParts): Balancer {
  switch (policy) {
    case 'round_robin':
      return new RoundRobin(available, random);
    case 'least_request':
      return new LeastRequest(available, random);
    case 'random':
      return new RandomBalancer(available, random);
    case 'ring_hash':
      return new RingHash(targets);
    default:
      return unreachable(policy);
  }
}
