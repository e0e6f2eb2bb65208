import { DomainError } from '#platform/foundation';
import {
  type DrainResult,
  type EndpointChange,
  type Explanation,
  type ProxyConfig,
  type ProxyEvent,
  ProxySource,
  type ProxySnapshot,
  type Question,
  type ReloadResult,
} from '#proxy/engine';
import { proxySnapshot } from './proxy-snapshot.ts';

/** A proxy controlled by the test, which records its calls. */
export class ScriptedProxySource extends ProxySource {
  /** The next snapshot. */
  current: ProxySnapshot = proxySnapshot();
  reloadResult: ReloadResult = { result: 'applied', faults: [] };
  explanation: Explanation | undefined;
  /** The active configuration. */
  held: ProxyConfig | undefined;
  /** Existing endpoints: `cluster address`. */
  readonly endpoints = new Set<string>();
  /** Each received command, as text. */
  readonly orders: string[] = [];
  readonly #listeners = new Set<(event: ProxyEvent) => void>();

  /** Number of current listeners. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  override async start(): Promise<void> {
    this.orders.push('start');
  }

  override async snapshot(): Promise<ProxySnapshot> {
    return this.current;
  }

  override async reload(): Promise<ReloadResult> {
    this.orders.push('reload');
    return this.reloadResult;
  }

  override async drain(): Promise<DrainResult> {
    this.orders.push('drain');
    this.current = { ...this.current, state: 'DRAINING' };
    return this.current.drain;
  }

  override async stop(): Promise<DrainResult> {
    this.orders.push('stop');
    return this.current.drain;
  }

  override get config(): ProxyConfig | undefined {
    return this.held;
  }

  override async setEndpoint({ cluster, address, isEnabled }: EndpointChange): Promise<boolean> {
    if (!this.endpoints.has(`${cluster} ${address}`)) return false;
    this.orders.push(`${isEnabled ? 'enable' : 'disable'} ${cluster} ${address}`);
    return true;
  }

  override async explain({ host, path }: Question): Promise<Explanation> {
    if (this.explanation === undefined) throw new DomainError('NOT_FOUND', `no listener for ${host}${path}`);
    return this.explanation;
  }

  override onEvent(listener: (event: ProxyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: ProxyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
