/**
 * No request returns to a listener that it has passed: listener → route → cluster → listener … ends. A chain
 * of own listeners is allowed. The endpoint that closes a cycle is reported.
 *
 * The path of a request depends on its host and path; the rule considers all routes of a listener.
 */
import type { DocumentFault } from '#platform/config';
import type { Machine } from '../machine.ts';
import type { HostPort } from '../proxy-config.ts';
import { leadsTo } from './reach.ts';
import type { ConfigRule, WrittenNode } from './written-node.ts';

interface WrittenListener {
  readonly name: string;
  readonly address: HostPort;
  readonly clusters: readonly string[];
}

interface WrittenEndpoint {
  readonly node: WrittenNode;
  readonly listeners: readonly WrittenListener[];
}

export const cyclesRule: ConfigRule = (file, machine) => {
  const listeners = listenersOf(file);
  const endpoints = endpointsByCluster(file, listeners, machine);
  const search = new CycleSearch(endpoints);
  for (const listener of listeners) search.from(listener);
  return search.faults;
};

function listenersOf(file: WrittenNode): readonly WrittenListener[] {
  const routes = file.items('routes');
  return file.items('listeners').flatMap((node) => {
    const name = node.get('name').text;
    const { address } = node.get('address');
    if (name === undefined || address === undefined) return [];
    const isTcp = node.get('protocol').text === 'tcp';
    const leads = isTcp ? [node] : routes.filter((route) => isOn(route, name));
    return [{ name, address, clusters: leads.flatMap((lead) => lead.get('cluster').text ?? []) }];
  });
}

function isOn(route: WrittenNode, listener: string): boolean {
  if (!route.get('listeners').isPresent) return true;
  return route.items('listeners').some(({ text }) => text === listener);
}

function endpointsByCluster(
  file: WrittenNode,
  listeners: readonly WrittenListener[],
  machine: Machine,
): ReadonlyMap<string, readonly WrittenEndpoint[]> {
  const clusters = file.items('clusters').map((cluster) => {
    const endpoints = cluster.items('endpoints').map((endpoint) => {
      const node = endpoint.get('address');
      const { address } = node;
      const own = listeners.filter(
        (each) => address !== undefined && leadsTo(address, each.address, machine),
      );
      return { node, listeners: own };
    });
    return [cluster.get('name').text ?? '', endpoints] as const;
  });
  return new Map(clusters);
}

/** Depth-first search; visits each listener once. */
class CycleSearch {
  readonly faults: DocumentFault[] = [];
  readonly #endpoints: ReadonlyMap<string, readonly WrittenEndpoint[]>;
  readonly #done = new Set<WrittenListener>();
  /** Alternating listeners and clusters. */
  readonly #way: string[] = [];
  readonly #passed: WrittenListener[] = [];

  constructor(endpoints: ReadonlyMap<string, readonly WrittenEndpoint[]>) {
    this.#endpoints = endpoints;
  }

  from(listener: WrittenListener): void {
    if (this.#done.has(listener)) return;
    this.#done.add(listener);
    this.#passed.push(listener);
    for (const cluster of new Set(listener.clusters)) {
      this.#way.push(listener.name, cluster);
      for (const endpoint of this.#endpoints.get(cluster) ?? []) this.#follow(endpoint);
      this.#way.length -= 2;
    }
    this.#passed.pop();
  }

  #follow({ node, listeners }: WrittenEndpoint): void {
    for (const listener of listeners) {
      const at = this.#passed.indexOf(listener);
      if (at === -1) this.from(listener);
      else {
        const cycle = [...this.#way.slice(2 * at), listener.name].join(' → ');
        this.faults.push(node.fault(`this leads back to the listener it comes from: ${cycle}`));
      }
    }
  }
}
