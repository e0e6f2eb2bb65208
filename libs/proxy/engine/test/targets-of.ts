import { EndpointCounters } from '../src/cluster/target/endpoint-counters.ts';
import { Target } from '../src/cluster/target/target.ts';
import { endpoint } from './cluster-world.ts';

/** A healthy target for each weight. */
export function targetsOf(weights: readonly number[]): Target[] {
  return weights.map((weight, index) => {
    const ip = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    const { address } = endpoint(`${ip}:80`);
    return new Target({ endpoint: address, ip, weight, counters: new EndpointCounters(), isHealthy: true });
  });
}
