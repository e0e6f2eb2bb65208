import { DirectedGraph } from 'graphology';
import { bidirectional } from 'graphology-shortest-path/unweighted.js';
import { recordOf, type EntityRecord } from '../data/rows.ts';
import { LINK_KINDS } from '../data/vocabulary.ts';
import { idOf } from '../data/dataset.ts';
import { versionOf } from '../harness/versions.ts';
import { inTurn, type Target, type TargetSetup } from './target.ts';

/** graphology: a library in memory without persistence; its nodes are named by id. */
export function openGraphology({ questions }: TargetSetup): Promise<Target> {
  const graph = new DirectedGraph<EntityRecord>();
  const ids: string[] = [];
  return Promise.resolve({
    version: versionOf('graphology'),
    operations: {
      lookup: (at) => graph.getNodeAttributes(inTurn(questions.lookups, at).id),
      shortestPath: (at) => {
        const { from, to } = inTurn(questions.pathEnds, at);
        const path = bidirectional(graph, idOf(typeOfKey(from), from), idOf(typeOfKey(to), to));
        return path === null ? -1 : path.length - 1;
      },
    },
    addEntities: (batch) => {
      for (const row of batch) {
        ids[row.index] = row.id;
        graph.addNode(row.id, recordOf(row));
      }
    },
    addRelationships: (batch) => {
      for (const { from, to, kind } of batch) {
        graph.addDirectedEdge(ids[from], ids[to], { verb: LINK_KINDS[kind]?.verb });
      }
    },
    settle: () => undefined,
    close: () => {
      graph.clear();
    },
  });
}

function typeOfKey(key: string): string {
  return key.slice(0, key.lastIndexOf('-'));
}
