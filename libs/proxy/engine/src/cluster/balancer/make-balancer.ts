import { unreachable } from '#platform/foundation';
import type { Balancer, BalancerParts } from './balancer.ts';
import { LeastRequest } from './least-request.ts';
import { RandomBalancer } from './random-balancer.ts';
import { RingHash } from './ring-hash.ts';
import { RoundRobin } from './round-robin.ts';

export function makeBalancer({ policy, targets, available, random }: BalancerParts): Balancer {
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
