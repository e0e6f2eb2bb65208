import type { KeptQuery, QueriesReply } from '#graph/query';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from '../target/http-target.ts';
import type { ImportMode, QueryTarget } from './query-target.ts';

/** The server that the settings name, else the data directory. */
export async function openQueryTarget(settings: GraphSettings): Promise<QueryTarget> {
  if (settings.url !== '') return new ServerQueries(new HttpTarget(settings.url, settings.apiKey));
  const { openLocalQueries } = await import('./local-queries.ts');
  return openLocalQueries(settings);
}

class ServerQueries implements QueryTarget {
  readonly #server: HttpTarget;

  constructor(server: HttpTarget) {
    this.#server = server;
  }

  async list(): Promise<readonly KeptQuery[]> {
    const { queries } = await this.#server.get<{ queries: readonly KeptQuery[] }>('/v1/queries');
    return queries;
  }

  get(name: string): Promise<KeptQuery> {
    return this.#server.get(`/v1/queries/${encodeURIComponent(name)}`);
  }

  import(yaml: string, mode: ImportMode): Promise<QueriesReply> {
    return this.#server.postYaml(`/v1/queries?mode=${mode}`, yaml);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
