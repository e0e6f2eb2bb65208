/** The queries of the canvas. */
import { dataOf } from '../../kit/session/api-error.ts';
import { query } from '../api/generated/sdk.gen.ts';
import type { QueryReplyDto } from '../api/generated/types.gen.ts';
import { hopText, type LinkDirection } from '../pql/hop-text.ts';
import { type CanvasSnapshot, type CanvasState, snapshotFrom } from './canvas-state.ts';
import { type GraphData, graphOf } from './graph-data.ts';

/** Number of ids in one query; 100,000 ids would be a body of 4 MB. */
const IDS_PER_QUERY = 5_000;
const PAGE_ROWS = 10_000;
export const EDGES_MAX = 200_000;

const BETWEEN = `FIND * AS a WITH _id IN $from THAT RELATES TO >> AS r * AS b RETURN r LIMIT ${EDGES_MAX}`;

/** Relationships to follow: these verbs, or all if there are none. */
export interface Links {
  readonly verbs: readonly string[];
  readonly direction: LinkDirection;
}

export interface FoundEdges {
  readonly edges: GraphData['edges'];
  /** Whether there are more than are read. */
  readonly isCut: boolean;
}

/** Number of relationships of a node by verb, the most frequent first. */
export interface VerbCounts {
  readonly in: readonly VerbCount[];
  readonly out: readonly VerbCount[];
}

export interface VerbCount {
  readonly verb: string;
  readonly count: number;
}

/** How the graph is read. */
export interface Reading {
  /** The moment, in RFC 3339, as of which it is; undefined: now. */
  readonly asOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The relationships between some nodes. */
export async function readEdges(ids: readonly string[], reading: Reading): Promise<FoundEdges> {
  const wanted = new Set(ids);
  const edges: GraphData['edges'][number][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    if (edges.length >= EDGES_MAX) return { edges, isCut: true };
    const from = ids.slice(at, at + IDS_PER_QUERY);
    for await (const page of pagesOf({ pql: BETWEEN, params: { from } }, reading)) {
      if (page.count >= EDGES_MAX) return { edges, isCut: true };
      edges.push(...graphOf([{ ...page, entities: [] }]).edges.filter(({ to }) => wanted.has(to)));
    }
  }
  return { edges, isCut: false };
}

/** Ends of relationships that are neither among the nodes nor known: a blast radius excludes its origin. */
export async function readMissingEnds(
  { nodes, edges }: GraphData,
  isKnown: (id: string) => boolean,
  reading: Reading,
): Promise<GraphData['nodes']> {
  const own = new Set(nodes.map(({ id }) => id));
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const ids = [...ends].filter((id) => !own.has(id) && !isKnown(id));
  return readNodes(ids, reading);
}

/** Reads the records of a state. Those that are gone, and not known, are left out. */
export async function readSnapshot(
  state: CanvasState,
  reading: Reading,
  known: GraphData = { nodes: [], edges: [] },
): Promise<CanvasSnapshot> {
  const ids = state.nodes.map(({ id }) => id);
  const [found, { edges }] = await Promise.all([readNodes(ids, reading), readEdges(ids, reading)]);
  const drawn = new Map([...edges, ...known.edges].map((edge) => [edge.id, edge]));
  return snapshotFrom(state, { nodes: [...found, ...known.nodes], edges: [...drawn.values()] });
}

/** The entities with these ids, as far as there are any. */
export async function readNodes(
  ids: readonly string[],
  { asOf, signal }: Reading,
): Promise<GraphData['nodes']> {
  const found: GraphData['nodes'][number][] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const params = { ids: ids.slice(at, at + IDS_PER_QUERY) };
    const body = { pql: 'FIND * WITH _id IN $ids', params, limit: PAGE_ROWS, ...momentOf(asOf) };
    const reply = await dataOf(query({ body, ...(signal && { signal }) }));
    if (typeof reply !== 'string') found.push(...graphOf([reply]).nodes);
  }
  return found;
}

async function* pagesOf(
  body: { readonly pql: string; readonly params: Record<string, unknown> },
  { asOf, signal }: Reading,
): AsyncGenerator<QueryReplyDto> {
  const ask = (asked: object): ReturnType<typeof query> =>
    query({ body: { ...asked, limit: PAGE_ROWS }, ...(signal && { signal }) });
  let reply = await dataOf(ask({ ...body, ...momentOf(asOf) }));
  while (typeof reply !== 'string') {
    yield reply;
    const { cursor } = reply;
    if (cursor === undefined) return;
    reply = await dataOf(ask({ cursor }));
  }
}

/** The part of a request that names its moment. */
export function momentOf(asOf: string | undefined): { readonly as_of?: string } {
  return asOf === undefined ? {} : { as_of: asOf };
}

export async function readVerbCounts(id: string, asOf: string | undefined): Promise<VerbCounts> {
  const counts = async (direction: 'in' | 'out'): Promise<readonly VerbCount[]> => {
    const hop = `THAT ${hopText([], direction)} AS link *`;
    const pql = `FIND * AS node WITH _id = '${id}' ${hop} GROUP BY link._verb`;
    const reply = await dataOf(query({ body: { pql, limit: PAGE_ROWS, ...momentOf(asOf) } }));
    const groups = typeof reply === 'string' ? [] : (reply.groups ?? []);
    return groups
      .map(({ key, count }) => ({ verb: String(key), count }))
      .sort((a, b) => b.count - a.count || a.verb.localeCompare(b.verb, 'en'));
  };
  const [into, out] = await Promise.all([counts('in'), counts('out')]);
  return { in: into, out };
}

/** The verbs of one direction, or of both together. */
export function verbsOf(counts: VerbCounts, direction: LinkDirection): readonly VerbCount[] {
  if (direction !== 'any') return counts[direction];
  const all = new Map<string, number>();
  for (const { verb, count } of [...counts.out, ...counts.in]) all.set(verb, (all.get(verb) ?? 0) + count);
  return Array.from(all, ([verb, count]) => ({ verb, count })).sort((a, b) => b.count - a.count);
}

/** The neighbours of a node that are related in one way. */
export interface NeighborGroup extends VerbCount {
  readonly direction: 'in' | 'out';
}

/** The largest first. */
export function groupsOf(counts: VerbCounts): readonly NeighborGroup[] {
  const groups = (['out', 'in'] as const).flatMap((direction) =>
    counts[direction].map((each) => ({ ...each, direction })),
  );
  return groups.sort((a, b) => b.count - a.count);
}

export function neighborsPql(id: string, { verbs, direction }: Links): string {
  const hop = `THAT ${hopText(verbs, direction)} AS link * AS other`;
  return `FIND * AS node WITH _id = '${id}' ${hop} RETURN link, other`;
}

export function pathPql(from: string, to: string): string {
  return `FIND SHORTEST PATH FROM '${from}' TO '${to}'`;
}
