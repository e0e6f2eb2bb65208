import { type KeptQuery, parseQueryYaml, type QueriesReply, SavedQueries } from '#graph/query';
import { Resources, systemClock } from '#platform/foundation';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from './command-log.ts';
import { openGraph } from './local-target.ts';

export type ImportMode = 'merge' | 'replace';

/** The location of saved queries: a server, or an unlocked data directory. */
export interface QueryTarget {
  list(): Promise<readonly KeptQuery[]>;
  /** Throws NOT_FOUND. */
  get(name: string): Promise<KeptQuery>;
  /** Imports a file of queries, all or none. */
  import(yaml: string, mode: ImportMode): Promise<QueriesReply>;
  close(): Promise<void>;
}

/** The saved queries of the data directory in the settings. */
export async function openLocalQueries(settings: GraphSettings): Promise<QueryTarget> {
  const resources = new Resources();
  return resources.closingOnFailure(async () => {
    const log = commandLog(settings);
    const { documents } = await resources.open(
      () => openGraph(settings, log),
      (graph) => graph.close(),
    );
    const saved = await SavedQueries.open({ documents, clock: systemClock, log });
    return {
      list: async () => saved.list(),
      get: async (name) => saved.get(name),
      import: (yaml, mode) => saved.change(parseQueryYaml(yaml, 'file'), mode),
      close: () => resources.close(),
    };
  });
}
