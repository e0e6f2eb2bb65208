import type { ConnectorSummary, RunRecord } from '#graph/connector';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import type { RunSource } from './run-source.ts';

/** The server in the settings, or else the data directory. */
export async function openRunSource(settings: GraphSettings): Promise<RunSource> {
  if (settings.url !== '') return new ServerRuns(new HttpTarget(settings));
  const { openLocalRuns } = await import('./local-runs.ts');
  return openLocalRuns(settings);
}

class ServerRuns implements RunSource {
  readonly #server: HttpTarget;

  constructor(server: HttpTarget) {
    this.#server = server;
  }

  async list(): Promise<readonly ConnectorSummary[]> {
    const body = await this.#server.get<{ connectors: readonly ConnectorSummary[] }>('/v1/connectors');
    return body.connectors;
  }

  start(id: string, force: boolean): Promise<RunRecord> {
    return this.#server.post<RunRecord>(`/v1/connectors/${encodeURIComponent(id)}/run`, { force });
  }

  get(runId: string): Promise<RunRecord> {
    return this.#server.get<RunRecord>(`/v1/connectors/runs/${runId}`);
  }

  cancel(runId: string): Promise<RunRecord> {
    return this.#server.post<RunRecord>(`/v1/connectors/runs/${runId}/stop`, {});
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
