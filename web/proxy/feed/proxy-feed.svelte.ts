import { dataOf } from '../../kit/session/api-error.ts';
import { EventFeed } from '../../kit/session/event-feed.svelte.ts';
import { followEvents, getAbout } from '../api/generated/sdk.gen.ts';
import type { AboutDto, FollowEventsResponse, ProxyStateDto } from '../api/generated/types.gen.ts';
import { answersOf, endpointKeys, listenerKey, type ProxyEvent } from './proxy-state.ts';
import { Rates } from './rates.ts';

/** An event in the list. */
export interface ListedEvent {
  readonly number: number;
  readonly event: ProxyEvent;
}

const HISTORY_MAX = 60;
const EVENTS_MAX = 512;

/** The state of the proxy once a second, and its events, the latest first. */
class ProxyFeed {
  #state = $state.raw<ProxyStateDto | undefined>();
  #about = $state.raw<AboutDto | undefined>();
  #events = $state.raw<readonly ListedEvent[]>([]);
  #requests = $state.raw<readonly number[]>([]);
  #connections = $state.raw<readonly number[]>([]);
  #count = 0;
  readonly #rates = new Rates();
  readonly #feed = new EventFeed<FollowEventsResponse>(
    (request) => followEvents({ ...request, query: { snapshots: 'true', history: 'true' } }),
    (message) => this.#take(message),
  );

  get state(): ProxyStateDto | undefined {
    return this.#state;
  }

  get about(): AboutDto | undefined {
    return this.#about;
  }

  get events(): readonly ListedEvent[] {
    return this.#events;
  }

  get isConnected(): boolean | undefined {
    return this.#feed.isConnected;
  }

  /** Requests per second and open connections of the last minute. */
  get history(): { readonly requests: readonly number[]; readonly connections: readonly number[] } {
    return { requests: this.#requests, connections: this.#connections };
  }

  /** The rate of a counter as of the last state. */
  rateOf(key: string): number | undefined {
    // Read so that dependants are updated with each state.
    return this.#state === undefined ? undefined : this.#rates.of(key);
  }

  async follow(): Promise<void> {
    await this.#feed.follow();
  }

  close(): void {
    this.#feed.close();
  }

  #take(message: FollowEventsResponse): boolean {
    if ('type' in message) {
      this.#events = [{ number: ++this.#count, event: message }, ...this.#events].slice(0, EVENTS_MAX);
      return true;
    }
    // After a lost connection, another process may answer at this address.
    if (this.#state === undefined || message.uptime_ms < this.#state.uptime_ms) void this.#ask();
    this.#note(message);
    this.#state = message;
    return true;
  }

  #note({ listeners, clusters, uptime_ms: at, downstream_cx_active: connections }: ProxyStateDto): void {
    this.#rates.note(
      'all',
      listeners.reduce((sum, listener) => sum + answersOf(listener), 0),
      at,
    );
    for (const listener of listeners) this.#rates.note(listenerKey(listener), answersOf(listener), at);
    for (const cluster of clusters) {
      endpointKeys(cluster).forEach((key, index) =>
        this.#rates.note(key, cluster.endpoints[index]?.requests_total ?? 0, at),
      );
    }
    this.#requests = [...this.#requests, this.#rates.of('all') ?? 0].slice(-HISTORY_MAX);
    this.#connections = [...this.#connections, connections].slice(-HISTORY_MAX);
  }

  async #ask(): Promise<void> {
    this.#about = await dataOf(getAbout()).catch(() => this.#about);
  }
}

/** The instance of this page. */
export const proxy = new ProxyFeed();
