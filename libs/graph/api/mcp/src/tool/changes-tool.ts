import { z } from 'zod';
import { cutOf, type FittedItems, fittedItems } from '../answers/fitted-items.ts';
import type { SpanAsked } from '../answers/graph-answers.port.ts';
import { COUNT, CUT, limit, MOMENT, NAME, RECORD, RECORDS, SHORTENED, WARNINGS } from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const CHANGES_LIMIT = 50;
const FINDINGS_LIMIT = 20;
const TO = MOMENT.optional().describe('default: now');
const FROM_SEQ = z.int().describe('the batch after which the first state was');
const TO_SEQ = z.int().describe('the batch after which the second state was');
const CURSOR = z.string().optional().describe('of the answer before: shows what comes after it');
const NEXT = z.string().optional().describe('there only when there may be more: ask again with it');

export const CHANGES_TOOL: Tool = defineTool({
  name: 'changes',
  requires: 'read',
  keepsScope: false,
  title: 'See what changed between two moments',
  description: `Lists the entities and relationships that were created, changed or deleted between two moments: each with time, source,
and the old and new value of every property that differs. Entities come first, by type and key. The history goes back a
few days; an error names its beginning. Name a kind where only some are of interest. Go on with cursor.
Example: {"from": "2026-11-26T08:00:00Z", "kind": "Host"}`,
  input: z.strictObject({
    from: MOMENT.optional().describe('needed without cursor'),
    to: TO,
    kind: NAME.optional().describe('a type, class or label; relationships with an end of it are shown, too'),
    limit: limit(CHANGES_LIMIT),
    cursor: CURSOR,
  }),
  output: z.looseObject({
    from: FROM_SEQ,
    to: TO_SEQ,
    changes: RECORDS,
    warnings: WARNINGS,
    shortened: SHORTENED,
    cursor: NEXT,
  }),
  answer: async ({ from, to, kind: type, limit: most, cursor }, { answers, signal }) => {
    const { reply, items, shortened } = await fittedPage(
      (span, count) => answers.diff({ ...span, type, cursor, limit: count }, signal),
      ({ changes }) => changes,
      { from, to },
      most,
    );
    return {
      from: reply.from,
      to: reply.to,
      changes: items,
      warnings: reply.warnings,
      ...(shortened > 0 && { shortened }),
      ...(reply.cursor !== undefined && { cursor: reply.cursor }),
    };
  },
});

export const QUERY_CHANGES_TOOL: Tool = defineTool({
  name: 'query_changes',
  requires: 'read',
  keepsScope: true,
  title: 'See which rows of a query came and went',
  description: `Runs a PQL query as of two moments, and gives the rows that only the later one has (came) and those that only the
earlier one has (went): who could reach a table then, and can no longer. Entities are the same while their ids are. The
query has no AS OF of its own. Go on with cursor and the same query.
Example: {"from": "2026-11-26T08:00:00Z", "pql": "FIND user AS u THAT ASSIGNED role THAT ALLOWS Database AS d RETURN u._key, d._key"}`,
  input: z.strictObject({
    pql: z.string().min(1).describe('one query in PQL'),
    params: z.record(z.string(), z.unknown()).optional().describe('values of $name in the query'),
    from: MOMENT.optional().describe('needed without cursor'),
    to: TO,
    limit: limit(CHANGES_LIMIT),
    cursor: CURSOR,
  }),
  output: z.looseObject({
    from: FROM_SEQ,
    to: TO_SEQ,
    came: COUNT,
    went: COUNT,
    columns: z.array(z.string()).optional(),
    rows: z.array(z.looseObject({ change: z.enum(['came', 'went']) })),
    warnings: WARNINGS,
    shortened: SHORTENED,
    cursor: NEXT,
  }),
  answer: async ({ pql, params, from, to, limit: most, cursor }, { answers, signal }) => {
    const { reply, items, shortened } = await fittedPage(
      (span, count) => answers.diffRows({ ...span, pql, params, cursor, limit: count }, signal),
      ({ rows }) => rows,
      { from, to },
      most,
    );
    return {
      from: reply.from,
      to: reply.to,
      came: reply.came,
      went: reply.went,
      ...(reply.columns !== undefined && { columns: reply.columns }),
      rows: items,
      warnings: reply.warnings,
      ...(shortened > 0 && { shortened }),
      ...(reply.cursor !== undefined && { cursor: reply.cursor }),
    };
  },
});

export const FINDING_CHANGES_TOOL: Tool = defineTool({
  name: 'finding_changes',
  requires: 'read',
  keepsScope: false,
  title: 'See which findings opened and closed between two moments',
  description: `Evaluates the rules of today on the graph as it was at two moments, and gives for each rule that differs its status at
both, and the findings that opened, closed, or are waived at one moment only; with both scores. A rule with unknown says
why its findings cannot be compared: they are not closed. Nothing is stored. Name a rule or a framework to see more.
Example: {"from": "2026-11-26T08:00:00Z", "framework": "CIS-Controls-v8"}`,
  input: z.strictObject({
    from: MOMENT,
    to: TO,
    rule: NAME.optional().describe('id of a rule'),
    framework: NAME.optional(),
    limit: limit(FINDINGS_LIMIT).describe('most findings of each kind, of each rule'),
  }),
  output: z.looseObject({
    from: FROM_SEQ,
    to: TO_SEQ,
    opened: COUNT,
    closed: COUNT,
    score: RECORD,
    rules: RECORDS.describe('those that differ'),
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: async ({ from, to, rule, framework, limit: most }, { answers, signal }) => {
    const { rules, ...diff } = await answers.diffFindings(
      {
        from,
        to,
        ...(rule !== undefined && { rule_ids: [rule] }),
        ...(framework !== undefined && { frameworks: [framework] }),
        limit: most,
      },
      signal,
    );
    const { items, shortened } = fittedItems(rules);
    const cut = cutOf(items.length, rules.length, rules.length, 'name a rule or a framework');
    return {
      ...diff,
      rules: items,
      ...(cut !== undefined && { cut }),
      ...(shortened > 0 && { shortened }),
    };
  },
});

interface Page {
  readonly from: number;
  readonly to: number;
  readonly cursor?: string;
}

/** A page with what fits: where not all does, a shorter one is asked for, whose cursor goes on behind it. */
async function fittedPage<Reply extends Page>(
  ask: (span: SpanAsked, limit: number) => Promise<Reply>,
  itemsOf: (reply: Reply) => readonly unknown[],
  span: SpanAsked,
  limit: number,
): Promise<FittedItems & { readonly reply: Reply }> {
  const whole = await ask(span, limit);
  const fitted = fittedItems(itemsOf(whole));
  const { length } = fitted.items;
  if (length === itemsOf(whole).length) return { reply: whole, ...fitted };
  const reply = await ask({ from: whole.from, to: whole.to }, Math.max(1, length));
  return { reply, ...fittedItems(itemsOf(reply)) };
}
