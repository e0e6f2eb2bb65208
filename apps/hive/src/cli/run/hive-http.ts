import type { HiveRunRecord, RunView } from '#load/coordination';
import type { Report } from '#load/report';
import { ServerClient } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { trustAuthority } from '#platform/tls';
import type { HiveAppSettings } from '../../settings.ts';

/** Time limit of a query of a run's state. */
const LOOK_MS_MAX = 10_000;
/** Time limit of an order: the hive answers before it carries it out. */
const ORDER_MS_MAX = 60_000;

/** No hive responds at the address, or the response was cut off. */
export class HiveSilent extends DomainError {
  constructor(base: string, cause: unknown) {
    const how = 'start one with `bin/plexus-hive serve`, or name another with --url';
    super('STORE_UNAVAILABLE', `no response from a hive at ${base}: ${how}`, { cause });
  }
}

/** An HTTP client of a hive, which sends the API key with every request. */
export class HiveHttp {
  readonly #client: ServerClient;

  /** Throws UsageError. */
  constructor(settings: Pick<HiveAppSettings, 'url' | 'apiKey' | 'tlsCa'>) {
    this.#client = new ServerClient(settings, {
      trust: () => trustAuthority(new NodeDisk(), settings.tlsCa),
      silence: (base, cause) => new HiveSilent(base, cause),
    });
  }

  get base(): string {
    return this.#client.base;
  }

  create(scenario: unknown): Promise<RunView> {
    return this.#order('/runs', scenario);
  }

  run(runId: string): Promise<RunView> {
    return this.#view(`/runs/${runId}`, { signal: AbortSignal.timeout(LOOK_MS_MAX) });
  }

  stop(runId: string, mode: 'drain' | 'abort'): Promise<RunView> {
    return this.#order(`/runs/${runId}/stop`, { mode });
  }

  changeRate(runId: string, rate: number): Promise<RunView> {
    return this.#order(`/runs/${runId}/rate`, { rate });
  }

  record(runId: string): Promise<HiveRunRecord> {
    return this.#client.json(`/runs/${runId}/files/run.json`);
  }

  report(runId: string): Promise<Report> {
    return this.#client.json(`/runs/${runId}/report`);
  }

  #order(path: string, body: unknown): Promise<RunView> {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(ORDER_MS_MAX);
    return this.#view(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }

  async #view(path: string, request: RequestInit): Promise<RunView> {
    const view = await this.#client.json<Partial<RunView>>(path, request);
    if (typeof view.run_id === 'string' && typeof view.status === 'string') return view as RunView;
    throw new DomainError('STORE_UNAVAILABLE', `expected a run from ${this.base}: is this a hive?`);
  }
}
