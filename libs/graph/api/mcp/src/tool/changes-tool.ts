import { z } from 'zod';
import { fittedItems } from '../answers/fitted-items.ts';
import { limit, MOMENT, NAME, RECORDS, SHORTENED } from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const CHANGES_LIMIT = 50;

export const CHANGES_TOOL: Tool = defineTool({
  name: 'changes',
  requires: 'read',
  keepsScope: false,
  title: 'See what changed between two moments',
  description: `Lists the entities and relationships that were created, changed or deleted between two moments: each with time, source,
and the old and new value of every property that differs. Entities come first, by type and key. The history goes back a
few days; an error names its beginning. Name a kind where only some are of interest.
Example: {"from": "2026-11-26T08:00:00Z", "kind": "Host"}`,
  input: z.strictObject({
    from: MOMENT,
    to: MOMENT.optional().describe('default: now'),
    kind: NAME.optional().describe('a type, class or label; relationships with an end of it are shown, too'),
    limit: limit(CHANGES_LIMIT),
  }),
  output: z.looseObject({
    from: z.int().describe('the batch after which the first state was'),
    to: z.int().describe('the batch after which the second state was'),
    changes: RECORDS,
    shortened: SHORTENED,
    more: z.boolean().describe('whether there may be more: narrow the moments, or name a kind'),
  }),
  answer: async ({ from, to, kind: type, limit: most }, { answers, signal }) => {
    const reply = await answers.diff({ from, to, type, limit: most }, signal);
    const { items, shortened } = fittedItems(reply.changes);
    return {
      from: reply.from,
      to: reply.to,
      changes: items,
      ...(shortened > 0 && { shortened }),
      more: reply.cursor !== undefined || items.length < reply.changes.length,
    };
  },
});
