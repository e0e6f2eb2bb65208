/** The process of one store: it writes, asks and times on request of its parent. */
import type { Graph } from '../../libs/graph/engine/src/index.ts';
import { Dataset } from '../data/dataset.ts';
import { entityRows, linkRows } from '../data/rows.ts';
import { BufferSink } from '../harness/buffer-sink.ts';
import { serveParent, type Handlers } from '../harness/child-process.ts';
import { diskBytes } from '../harness/disk-bytes.ts';
import { timeRound } from '../harness/stopwatch.ts';
import { builtLibrary } from '../targets/built-library.ts';

export interface StoreOptions {
  readonly directory: string;
  /** How long history is kept; 0: it is not written. */
  readonly historyMs: number;
  readonly entities: number;
  readonly seed: number;
  /** Another build than that of this checkout. */
  readonly checkout?: string | undefined;
}

/** Rows `[start, end)` of one kind, as one batch. */
export interface Rows {
  readonly rows: 'entities' | 'relationships';
  readonly start: number;
  readonly end: number;
  /** Part of the written content: another number is another version of the rows. */
  readonly version: number;
}

export interface Asked {
  readonly pql: string;
  /** Absent: now. */
  readonly seq?: number;
  /** Least duration of a round; 0: one call. */
  readonly leastMs: number;
}

export type StoreProtocol = {
  readonly open: readonly [StoreOptions, undefined];
  /** Milliseconds, without building the rows. */
  readonly write: readonly [Rows, number];
  /** Closes and opens again, so that all is sealed as in a server that is idle; the last batch. */
  readonly settle: readonly [undefined, number];
  /** The time of one call, and the answer as text. */
  readonly ask: readonly [Asked, { readonly ms: number; readonly answer: string }];
  /** Memory once garbage is collected. */
  readonly memory: readonly [undefined, number];
  readonly close: readonly [undefined, undefined];
  /** The size of its files once they are merged into one another. */
  readonly diskBytes: readonly [undefined, number];
};

const PAGE_ROWS = 1_000;
const CONNECTOR = 'bench';

let options: StoreOptions | undefined;
let data: Dataset | undefined;
let graph: Graph | undefined;
let ask: ((asked: Asked) => Promise<string>) | undefined;

const handlers: Handlers<StoreProtocol> = {
  open: async (request) => {
    options = request;
    graph = await open();
    ask = await asker();
    return undefined;
  },
  write: async ({ rows, start, end, version }) => {
    const request = { connectorId: CONNECTOR, ...rowsOf(rows, start, end, version) };
    const startMs = performance.now();
    await opened().write(request);
    return performance.now() - startMs;
  },
  settle: async () => {
    await opened().close();
    graph = await open();
    return graph.durableVersion;
  },
  ask: async (asked) => {
    if (ask === undefined) throw new Error('not open');
    let answer = '';
    // The first call of a round always takes place.
    const leastMs = Math.max(asked.leastMs, Number.MIN_VALUE);
    const { msPerCall } = await timeRound(async () => {
      answer = (await ask?.(asked)) ?? '';
    }, leastMs);
    return { ms: msPerCall, answer };
  },
  memory: async () => {
    // Buffers that a finalizer frees are gone with the second collection.
    for (let time = 0; time < 2; time++) {
      globalThis.gc?.();
      await new Promise(setImmediate);
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  close: async () => {
    await graph?.close();
    graph = undefined;
    return undefined;
  },
  diskBytes: async () => {
    // A removal rewrites the whole store.
    const probe = { type: 'probe', key: 'probe', class: undefined, displayName: undefined, properties: {} };
    await opened().write({ connectorId: CONNECTOR, entities: [probe], relationships: [] });
    const { entityId } = await builtLibrary('graph/model', required().checkout);
    await opened().forgetting.forget(entityId(probe.type, probe.key));
    return diskBytes(required().directory);
  },
};

serveParent(handlers);

function required(): StoreOptions {
  if (options === undefined) throw new Error('not open');
  return options;
}

function opened(): Graph {
  if (graph === undefined) throw new Error('not open');
  return graph;
}

async function open(): Promise<Graph> {
  const { directory, historyMs, checkout } = required();
  const { Graph: Opened } = await builtLibrary('graph/engine', checkout);
  const { NodeDisk } = await builtLibrary('platform/disk', checkout);
  return Opened.open({ directory, disk: new NodeDisk(), historyMs });
}

/** As a server answers: PQL text, and the reply's bytes. */
async function asker(): Promise<(asked: Asked) => Promise<string>> {
  const { checkout } = required();
  const { isKnownClass, isKnownVerb } = await builtLibrary('graph/model', checkout);
  const { QueryEngine, encodeResult } = await builtLibrary('graph/query', checkout);
  const engine = new QueryEngine({ vocabulary: { hasClass: isKnownClass, hasVerb: isKnownVerb } });
  const sink = new BufferSink();
  return async ({ pql, seq }) => {
    const snapshot = seq === undefined ? opened().snapshot() : await opened().history.snapshot({ seq });
    try {
      const result = await engine.run(snapshot, pql);
      encodeResult(result, snapshot, sink, { offset: 0, limit: PAGE_ROWS, tookMs: 0 });
      return Buffer.from(sink.take()).toString('utf8');
    } finally {
      snapshot.release();
    }
  };
}

function rowsOf(rows: Rows['rows'], start: number, end: number, version: number) {
  const { entities, seed } = required();
  data ??= new Dataset(entities, seed);
  const versioned = <Body extends { readonly properties: object }>({ body }: { readonly body: Body }) => ({
    ...body,
    properties: { ...body.properties, version },
  });
  return rows === 'entities'
    ? { entities: entityRows(data, start, end).map(versioned), relationships: [] }
    : { entities: [], relationships: linkRows(data, start, end).map(versioned) };
}
