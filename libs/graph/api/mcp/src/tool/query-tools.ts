import { z } from 'zod';
import { DomainError } from '#platform/foundation';
import { pqlAnswer } from '../answers/tool-results.ts';
import type { PqlWarning } from '../answers/graph-answers.port.ts';
import { COUNT, CUT, limit, MOMENT, RECORD, RECORDS, SHORTENED, TIMEOUT_MS, WARNINGS } from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const PQL = z.string().min(1).describe('one query in PQL');
const PARAMS = z.record(z.string(), z.unknown()).optional().describe('values of $name in the query');
const LIMIT_DEFAULT = 50;
const QUERY_HINT = 'add LIMIT and SKIP, WITH conditions, or RETURN a few fields or COUNT(*) instead of all';

export const QUERY_TOOL: Tool = defineTool({
  name: 'query',
  requires: 'read',
  keepsScope: true,
  title: 'Ask the graph in PQL',
  description: `Runs a read-only PQL query on the graph of infrastructure and gives what it finds: entities, or with RETURN
rows under columns, or groups, paths, impacted entities or a count. PQL names a class or type, conditions on
properties, and relationships (hops) by verb. Ask the tool schema for the words of this graph first; the resource
plexus://pql is the full reference. A query that is wrong is answered with the position of the fault and a hint: mend it
and ask again.
Example: {"pql": "FIND user AS u THAT ASSIGNED role THAT ALLOWS Database AS d WITH encrypted = false RETURN u._key, d._key", "limit": 20}`,
  input: z.strictObject({
    pql: PQL,
    params: PARAMS,
    limit: limit(LIMIT_DEFAULT).describe('most records to show'),
    timeout_ms: TIMEOUT_MS,
    as_of: MOMENT.optional().describe('the graph as it was then; default: now'),
  }),
  output: z.looseObject({
    count: COUNT,
    columns: z.array(z.string()).optional().describe('names of the cells of a row'),
    rows: z.array(z.array(z.unknown())).optional(),
    entities: RECORDS.optional(),
    groups: RECORDS.optional(),
    paths: RECORDS.optional(),
    impacted: RECORDS.optional(),
    plan: RECORD.optional().describe('of EXPLAIN and PROFILE'),
    warnings: WARNINGS,
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: async (args, { answers, signal }) =>
    pqlAnswer(await answers.query(args, signal), { limit: args.limit, hint: QUERY_HINT }),
});

/** Stands on its own line, so that columns stay aligned. */
const EXPLAIN = 'EXPLAIN\n';

export const EXPLAIN_TOOL: Tool = defineTool({
  name: 'explain',
  requires: 'read',
  keepsScope: false,
  title: 'Check a query and see its plan',
  description: `Checks a PQL query without running it, and gives its plan: a tree of operators with the rows that are expected
of each. Use it before a query that may be large, or to see why one finds nothing: warnings name words that the
data does not have, with the nearest ones.
Example: {"pql": "FIND host THAT RUNS service WITH name = 'nginx'"}`,
  input: z.strictObject({ pql: PQL, params: PARAMS }),
  output: z.looseObject({ plan: RECORD.optional(), warnings: WARNINGS }),
  answer: async ({ pql, params }, { answers, signal }) => {
    const isExplained = /^\s*EXPLAIN\b/i.test(pql);
    try {
      const reply = await answers.query({ pql: isExplained ? pql : EXPLAIN + pql, params }, signal);
      const given = isExplained ? reply : { ...reply, warnings: reply.warnings.map(inGivenQuery) };
      const { plan, plan_left_out, warnings } = pqlAnswer(given, { limit: 0, hint: QUERY_HINT });
      return {
        ...(plan !== undefined && { plan }),
        ...(plan_left_out !== undefined && { plan_left_out }),
        warnings,
      };
    } catch (error) {
      throw isExplained ? error : withoutPrefix(error);
    }
  },
});

/** A warning at its position in the given query. */
function inGivenQuery(warning: PqlWarning): PqlWarning {
  const { position } = warning;
  return position === undefined ? warning : { ...warning, position: givenPosition(position) };
}

function givenPosition(position: number): number {
  return Math.max(0, position - EXPLAIN.length);
}

/** An error at its position in the given query. */
function withoutPrefix(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.code !== 'PQL_SYNTAX') return error;
  const { position, line, ...details } = error.details ?? {};
  if (typeof position !== 'number' || typeof line !== 'number') return error;
  const message = error.message.replace(`(line ${line},`, `(line ${line - 1},`);
  return new DomainError(error.code, message, {
    cause: error,
    details: { position: givenPosition(position), line: line - 1, ...details },
  });
}
