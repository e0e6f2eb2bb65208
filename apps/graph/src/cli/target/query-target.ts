import { type KeptQuery, parseQueryYaml, type QueriesReply, SavedQueries } from '#graph/query';
import { Resources, systemClock } from '#platform/foundation';
import type { GraphSettings } from '../../settings.ts';
import { HttpTarget } from './http-target.ts';

type ImportMode = 'merge' | 'replace';

/** The location of saved queries: a server, or an unlocked data directory. */
export interface QueryTarget {
  list(): Promise<readonly KeptQuery[]>;
  /** Throws NOT_FOUND. */
  get(name: string): Promise<KeptQuery>;
  /** Imports a file of queries, all or none. */
  import(yaml: string, mode: ImportMode): Promise<QueriesReply>;
  close(): Promise<void>;
}

/** The server in the settings, or else the data directory. */
export async function openQueryTarget(settings: GraphSettings): Promise<QueryTarget> {
  if (settings.url !== '') return new ServerQueries(new HttpTarget(settings));
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

/** The saved queries of the data directory in the settings. */
async function openLocalQueries(settings: GraphSettings): Promise<QueryTarget> {
  // Loaded only for a data directory, as in `openTarget`.
  const [{ commandLog }, { openGraph }] = await Promise.all([
    import('./command-log.ts'),
    import('./local-target.ts'),
  ]);
  const resources = new Resources();
  return resources.closingOnFailure(async () => {
    const log = commandLog(settings);
    const { documents } = await resources.open(
      () => openGraph(settings, log),
      (graph) => graph.close(),
    );
    const saved = await SavedQueries.open(documents, systemClock, log);
    return {
      list: async () => saved.list(),
      get: async (name) => saved.get(name),
      import: (yaml, mode) => saved.change(parseQueryYaml(yaml, 'file'), mode),
      close: () => resources.close(),
    };
  });
}
