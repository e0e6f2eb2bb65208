import type { SharedStore } from '../../libs/graph/cluster/src/index.ts';
import type { Graph } from '../../libs/graph/engine/src/index.ts';
import { Dataset } from '../data/dataset.ts';
import { entityRows, linkRows } from '../data/rows.ts';
import { serveParent } from '../harness/child-process.ts';
import { builtLibrary } from '../targets/built-library.ts';
import type { WritingNodeProtocol } from './writing-node-protocol.ts';

const { Graph: GraphClass } = await builtLibrary('graph/engine');
const { parseStoreAddress, SharedStore: SharedStoreClass } = await builtLibrary('graph/cluster');
const { NodeDisk } = await builtLibrary('platform/disk');

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const MB = 1e6;
const BATCH = 1_000;
/** There are three times as many relationships. */
const RECORDS_PER_ENTITY = 4;
let store: SharedStore | undefined;
let graph: Graph | undefined;
let name = '';
let taken = 0;

serveParent<WritingNodeProtocol>({
  open: async ({ name: node, url, schema, directory }) => {
    name = node;
    const copy = { disk: new NodeDisk(), directory };
    const address = parseStoreAddress(url);
    const startMs = performance.now();
    store = await SharedStoreClass.open({ address, schema, node, log: SILENT, copy });
    graph = await GraphClass.over(store, {});
    const openedMs = performance.now();
    globalThis.gc?.();
    return { startMs: openedMs - startMs, memoryMb: process.memoryUsage.rss() / MB };
  },
  load: async ({ records, seed }) => {
    const data = new Dataset(records / RECORDS_PER_ENTITY, seed);
    for (let at = 0; at < data.entityCount; at += BATCH) {
      const rows = entityRows(data, at, Math.min(at + BATCH, data.entityCount));
      await graph?.write({ entities: rows.map(({ body }) => body), relationships: [] });
    }
    for (let at = 0; at < data.links.count; at += BATCH) {
      const rows = linkRows(data, at, Math.min(at + BATCH, data.links.count));
      await graph?.write({ entities: [], relationships: rows.map(({ body }) => body) });
    }
    await store?.base();
    return undefined;
  },
  write: async ({ writers, ms }) => {
    const startMs = performance.now();
    const startCpu = process.cpuUsage();
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
    const { user, system } = process.cpuUsage(startCpu);
    const cpuMs = (user + system) / 1_000;
    return { writes, ms: performance.now() - startMs, cpuMs };
  },
  close: async () => {
    await graph?.close();
    graph = undefined;
    return undefined;
  },
});
