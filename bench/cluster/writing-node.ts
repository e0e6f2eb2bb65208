import type { Graph } from '../../libs/graph/engine/src/index.ts';
import { serveParent } from '../harness/child-process.ts';
import { builtLibrary } from '../targets/built-library.ts';
import type { WritingNodeProtocol } from './writing-node-protocol.ts';

const { Graph: GraphClass } = await builtLibrary('graph/engine');
const { parseStoreAddress, SharedStore } = await builtLibrary('graph/cluster');
const { NodeDisk } = await builtLibrary('platform/disk');

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
let graph: Graph | undefined;
let name = '';
let taken = 0;

serveParent<WritingNodeProtocol>({
  open: async ({ name: node, url, schema, directory }) => {
    name = node;
    const copy = { disk: new NodeDisk(), directory };
    const store = await SharedStore.open({
      address: parseStoreAddress(url),
      schema,
      node,
      log: SILENT,
      copy,
    });
    graph = await GraphClass.over(store, {});
    return undefined;
  },
  write: async ({ writers, ms }) => {
    const startMs = performance.now();
    let writes = 0;
    const writer = async (): Promise<void> => {
      while (performance.now() - startMs < ms) {
        const key = `${name}-${String(taken++)}`;
        const entity = { type: 'host', key, class: 'Host', displayName: key, properties: { at: taken } };
        await graph?.write({ entities: [entity], relationships: [] });
        writes++;
      }
    };
    await Promise.all(Array.from({ length: writers }, writer));
    return { writes, ms: performance.now() - startMs };
  },
  close: async () => {
    await graph?.close();
    graph = undefined;
    return undefined;
  },
});
