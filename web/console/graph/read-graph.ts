/** The queries of the canvas. */
import { dataOf } from '../../kit/session/api-error.ts';
import { getNeighbors, query } from '../api/generated/sdk.gen.ts';
import type { QueryReplyDto } from '../api/generated/types.gen.ts';
import { edgeOf, type GraphData, graphOf, NO_GRAPH, nodeOf } from './graph-data.ts';

/** Number of ids in one query; 100,000 ids would be a body of 4 MB. */
const IDS_PER_QUERY = 5_000;
const PAGE_ROWS = 10_000;
const NEIGHBORS_MAX = 1_000;
const IMPACTED_MAX = 1_000;
export const EDGES_MAX = 200_000;

const BETWEEN = `FIND * AS a WITH _id IN $from THAT RELATES TO >> AS r * AS b RETURN r LIMIT ${EDGES_MAX}`;

export interface Expansion {
  readonly verb: string;
  readonly direction: 'in' | 'out' | 'any';
}

/** The relationships between some nodes. */
export async function readEdges(ids: readonly string[], signal: AbortSignal): Promise<GraphData> {
  const wanted = new Set(ids);
  const edges: GraphData['edges'][number][] = [];
  for (let at = 0; at < ids.length && edges.length < EDGES_MAX; at += IDS_PER_QUERY) {
    const from = ids.slice(at, at + IDS_PER_QUERY);
    for await (const page of pagesOf({ pql: BETWEEN, params: { from } }, signal)) {
      edges.push(...graphOf([{ ...page, entities: [] }]).edges.filter(({ to }) => wanted.has(to)));
    }
  }
  return { ...NO_GRAPH, edges };
}

/** Ends of relationships that are missing among the nodes: a blast radius does not include its origin. */
export async function readMissingEnds({ nodes, edges }: GraphData, signal: AbortSignal): Promise<GraphData> {
  const known = new Set(nodes.map(({ id }) => id));
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]).filter((id) => !known.has(id)));
  if (ends.size === 0) return NO_GRAPH;
  const ids = [...ends].slice(0, IDS_PER_QUERY);
  const body = { pql: 'FIND * WITH _id IN $ids', params: { ids }, limit: PAGE_ROWS };
  const reply = await dataOf(query({ body, signal }));
  return typeof reply === 'string' ? NO_GRAPH : graphOf([reply]);
}

async function* pagesOf(
  body: { readonly pql: string; readonly params: Record<string, unknown> },
  signal: AbortSignal,
): AsyncGenerator<QueryReplyDto> {
  let reply = await dataOf(query({ body: { ...body, limit: PAGE_ROWS }, signal }));
  while (typeof reply !== 'string') {
    yield reply;
    const { cursor } = reply;
    if (cursor === undefined) return;
    reply = await dataOf(query({ body: { cursor, limit: PAGE_ROWS }, signal }));
  }
}

/** The neighbours of a node. */
export async function readNeighbors(id: string, { verb, direction }: Expansion): Promise<GraphData> {
  const options = { direction, limit: NEIGHBORS_MAX, ...(verb !== '' && { verb }) };
  const { neighbors } = await dataOf(getNeighbors({ path: { id }, query: options }));
  return {
    nodes: neighbors.map(({ entity }) => nodeOf(entity)),
    edges: neighbors.map(({ relationship }) => edgeOf(relationship)),
  };
}

export function readShortestPath(from: string, to: string): Promise<GraphData> {
  return readGraph(`FIND SHORTEST PATH FROM '${from}' TO '${to}'`);
}

export function readBlastRadius(id: string): Promise<GraphData> {
  return readGraph(`FIND BLAST RADIUS FROM '${id}' DEPTH 2 LIMIT ${IMPACTED_MAX}`);
}

async function readGraph(pql: string): Promise<GraphData> {
  const reply = await dataOf(query({ body: { pql, limit: IMPACTED_MAX } }));
  return typeof reply === 'string' ? NO_GRAPH : graphOf([reply]);
}
