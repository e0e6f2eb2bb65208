import { parseQueryYaml, SavedQueries } from '#graph/query';
import { Resources, systemClock } from '#platform/foundation';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import { openGraph } from '../target/local-target.ts';
import type { QueryTarget } from './query-target.ts';

/** Those of the settings' data directory. */
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
