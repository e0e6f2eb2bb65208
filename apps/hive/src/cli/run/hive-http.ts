import type { HiveRunRecord, RunView } from '#load/coordination';
import type { Report } from '#load/report';
import { type ServerAddress, serverAddress } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError, ERROR_CATALOGUE, type ErrorCode } from '#platform/foundation';
import { trustAuthority } from '#platform/tls';
import type { HiveAppSettings } from '../../settings.ts';

/** Time limit of a query of a run's state. */
const LOOK_MS_MAX = 10_000;

/** No hive responds at the address, or the response was cut off. */
export class HiveSilent extends DomainError {
  constructor(base: string, cause: unknown) {
    const how = 'start one with `bin/plexus-hive serve`, or name another with --url';
    super('STORE_UNAVAILABLE', `no response from a hive at ${base}: ${how}`, { cause });
  }
}

interface Question {
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

/** An HTTP client of a hive, which sends the API key with every request. */
export class HiveHttp {
  readonly #address: ServerAddress;
  readonly #tlsCa: string;
  #trusting: Promise<void> | undefined;

  /** Throws UsageError. */
  constructor({ url, apiKey, tlsCa }: Pick<HiveAppSettings, 'url' | 'apiKey' | 'tlsCa'>) {
    this.#address = serverAddress(url, apiKey);
    this.#tlsCa = tlsCa;
  }

  get base(): string {
    return this.#address.base;
  }

  create(scenario: unknown): Promise<RunView> {
    return this.#call('POST', '/runs', { body: scenario });
  }

  run(runId: string): Promise<RunView> {
    return this.#call('GET', `/runs/${runId}`, { timeoutMs: LOOK_MS_MAX });
  }

  stop(runId: string, mode: 'drain' | 'abort'): Promise<RunView> {
    return this.#call('POST', `/runs/${runId}/stop`, { body: { mode } });
  }

  changeRate(runId: string, rate: number): Promise<RunView> {
    return this.#call('POST', `/runs/${runId}/rate`, { body: { rate } });
  }

  record(runId: string): Promise<HiveRunRecord> {
    return this.#call('GET', `/runs/${runId}/files/run.json`);
  }

  report(runId: string): Promise<Report> {
    return this.#call('GET', `/runs/${runId}/report`);
  }

  async #call<Reply>(method: string, path: string, { body, timeoutMs }: Question = {}): Promise<Reply> {
    this.#trusting ??= trustAuthority(new NodeDisk(), this.#tlsCa);
    await this.#trusting;
    const headers = {
      ...this.#address.headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const request = {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
    };
    const silent = (cause: unknown): never => {
      throw new HiveSilent(this.base, cause);
    };
    const reply = await fetch(this.base + path, request).catch(silent);
    if (!reply.ok) throw await errorOf(reply);
    return (await reply.json().catch(silent)) as Reply;
  }
}

/** Converts the hive's error to a DomainError. */
async function errorOf(reply: Response): Promise<DomainError> {
  const body = (await reply.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  const message = typeof body['message'] === 'string' ? body['message'] : `HTTP ${reply.status}`;
  const { error, details } = body;
  if (!isErrorCode(error)) return new DomainError('INVALID_REQUEST', message);
  return new DomainError(error, message, { details: (details ?? {}) as Record<string, unknown> });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CATALOGUE, code);
}
