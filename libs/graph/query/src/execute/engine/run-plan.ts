import type { Warning } from '#graph/model';
import { planTree } from '../../plan/explain.ts';
import type { PlannedQuery } from '../../plan/plan.ts';
import type { BlastPlan, EndPlan, PathPlan } from '../../plan/search-plan.ts';
import type { ImpactedEntity, QueryResult } from '../../result/query-result.ts';
import {
  compareText,
  type ExecutionContext,
  type FoundPath,
  type NodeSet,
  pathBytes,
  searchPaths,
} from '#graph/execution';
import { type BlastRadius, searchBlast } from '../path/blast-search.ts';
import { endNodes, unknownKey } from '../path/end-nodes.ts';
import { FindExecutor } from './find-executor.ts';
import { type Found, paged } from './find-result.ts';

const NOTHING: Found = {
  kind: 'plan',
  count: 0,
  length: 0,
  memory: () => 0,
  entities: () => new Uint32Array(0),
  items: () => ({}),
};

/** Runs a plan to a result. EXPLAIN runs nothing. */
export function* runPlan(context: ExecutionContext, query: PlannedQuery): Generator<void, QueryResult> {
  const { snapshotVersion } = context.reader;
  context.begin();
  const { mode } = query.bound;
  if (mode === 'explain')
    return { ...paged(NOTHING), snapshotVersion, warnings: query.warnings, plan: planTree(query) };
  const [found, warnings] = yield* runQuery(context, query);
  const result = { ...paged(found), snapshotVersion, warnings };
  return mode === 'profile' ? { ...result, plan: planTree(query, context.profile) } : result;
}

function* runQuery(context: ExecutionContext, { plan, warnings }: PlannedQuery): Answer {
  const { query } = plan;
  switch (query.kind) {
    case 'find': {
      const startedMs = context.profile?.nowMs() ?? 0;
      const found = yield* new FindExecutor(context, query, plan.having).run();
      context.profile?.note(query, found.count, startedMs);
      return [found, warnings];
    }
    case 'path':
      return yield* runPath(context, query, warnings);
    case 'blast':
      return yield* runBlast(context, query, warnings);
  }
}

type Answer = Generator<void, readonly [Found, readonly Warning[]]>;

function* runPath(context: ExecutionContext, plan: PathPlan, warnings: readonly Warning[]): Answer {
  const startedMs = context.profile?.nowMs() ?? 0;
  const ends = { from: yield* endNodes(context, plan.from), to: yield* endNodes(context, plan.to) };
  const paths = yield* searchPaths(context, plan, ends);
  context.profile?.note(plan, paths.length, startedMs);
  const unknown = [
    ...(yield* ifUnknown(context, ends.from, plan.from)),
    ...(yield* ifUnknown(context, ends.to, plan.to)),
  ];
  return [pathsResult(paths), [...warnings, ...unknown]];
}

/** A warning if an end matches nothing. */
function* ifUnknown(
  context: ExecutionContext,
  { size }: NodeSet,
  end: EndPlan,
): Generator<void, readonly Warning[]> {
  return size === 0 ? [yield* unknownKey(context, end)] : [];
}

function* runBlast(context: ExecutionContext, plan: BlastPlan, warnings: readonly Warning[]): Answer {
  const startedMs = context.profile?.nowMs() ?? 0;
  const from = yield* endNodes(context, plan.from);
  const radius = yield* searchBlast(context, plan, from);
  context.profile?.note(plan, radius.nodes.length, startedMs);
  const byClass = yield* countByClass(context, radius.nodes);
  const found = blastResult(radius, byClass, plan.limit);
  const unknown = yield* ifUnknown(context, from, plan.from);
  const cut = radius.isCut ? [depthLimit(plan.depth)] : [];
  return [found, [...warnings, ...unknown, ...cut]];
}

/** Number of entities of each class, names ascending. */
function* countByClass(
  { reader, pace }: ExecutionContext,
  nodes: Uint32Array,
): Generator<void, readonly (readonly [string, number])[]> {
  const counts = yield* pace.through(reader.classCounts(nodes));
  return [...counts].sort(([a], [b]) => compareText(a, b));
}

function depthLimit(depth: number): Warning {
  return {
    code: 'DEPTH_LIMIT',
    message: `there are more results beyond depth ${String(depth)}: increase DEPTH to include them`,
  };
}

function pathsResult(paths: readonly FoundPath[]): Found {
  return {
    kind: 'paths',
    memory: () => paths.reduce((bytes, path) => bytes + pathBytes(path), 0),
    count: paths.length,
    length: paths.length,
    entities: (offset, limit) => nodesOf(paths.slice(offset, offset + limit)),
    items: (offset, limit) => ({ paths: paths.slice(offset, offset + limit) }),
  };
}

/** The nodes of paths, each once. */
function nodesOf(paths: readonly FoundPath[]): Uint32Array {
  const nodes = new Set<number>();
  for (const path of paths) for (const node of path.nodes) nodes.add(node);
  return Uint32Array.from(nodes);
}

/** LIMIT cuts the list of entities; the counts by class cover the whole radius. */
function blastResult(
  { nodes, via, levelEnds }: BlastRadius,
  byClass: readonly (readonly [string, number])[],
  limit: number,
): Found {
  const count = Math.min(nodes.length, limit);
  return {
    kind: 'impacted',
    memory: () => nodes.buffer.byteLength + via.buffer.byteLength,
    count,
    length: count,
    impactedByClass: byClass,
    entities: (offset, pageLimit) => nodes.subarray(offset, Math.min(count, offset + pageLimit)),
    items: (offset, pageLimit) => {
      const end = Math.min(count, offset + pageLimit);
      const impacted: ImpactedEntity[] = [];
      for (let at = offset; at < end; at++) {
        const depth = levelEnds.findIndex((levelEnd) => at < levelEnd) + 1;
        impacted.push({ node: nodes[at] ?? 0, depth, via: via[at] ?? 0 });
      }
      return { impacted };
    },
  };
}
