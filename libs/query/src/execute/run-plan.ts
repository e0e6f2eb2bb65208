import type { Warning } from '#model';
import { planTree } from '../plan/explain.ts';
import type { PlannedQuery } from '../plan/plan.ts';
import type { Found } from '../result/find-result.ts';
import type { QueryResult } from '../result/query-result.ts';
import { blastResult, pathResult } from '../result/search-result.ts';
import { searchBlast } from './blast-search.ts';
import type { ExecutionContext } from './execution-context.ts';
import { FindExecutor } from './find-executor.ts';
import { searchPath } from './path-search.ts';

const NOTHING: Found = {
  kind: 'plan',
  count: 0,
  length: 0,
  bytes: 0,
  page: () => ({ entities: new Uint32Array(0) }),
};

/** From a plan to a result. EXPLAIN runs nothing. */
export function* runPlan(context: ExecutionContext, query: PlannedQuery): Generator<void, QueryResult> {
  const { snapshotVersion } = context.reader;
  const { mode } = query.bound;
  if (mode === 'explain')
    return { ...NOTHING, snapshotVersion, warnings: query.warnings, plan: planTree(query) };
  const [found, warnings] = yield* runQuery(context, query);
  const result = { ...found, snapshotVersion, warnings };
  return mode === 'profile' ? { ...result, plan: planTree(query, context.profile) } : result;
}

function* runQuery(
  context: ExecutionContext,
  { plan, warnings }: PlannedQuery,
): Generator<void, readonly [Found, readonly Warning[]]> {
  const { query } = plan;
  const startedMs = context.profile?.nowMs() ?? 0;
  switch (query.kind) {
    case 'find': {
      const found = yield* new FindExecutor(context, query, plan.having).run();
      context.profile?.note(query, found.count, startedMs);
      return [found, warnings];
    }
    case 'path': {
      const path = yield* searchPath(context, query);
      context.profile?.note(query, path === undefined ? 0 : 1, startedMs);
      return [pathResult(path), warnings];
    }
    case 'blast': {
      const radius = yield* searchBlast(context, query);
      context.profile?.note(query, radius.nodes.length, startedMs);
      const found = blastResult(context.reader, radius, query.limit);
      return [found, radius.isCut ? [...warnings, depthLimit(query.depth)] : warnings];
    }
  }
}

function depthLimit(depth: number): Warning {
  return { code: 'DEPTH_LIMIT', message: `more lies beyond depth ${String(depth)}: raise DEPTH to see it` };
}
