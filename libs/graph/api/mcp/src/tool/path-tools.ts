import { z } from 'zod';
import { pqlAnswer } from '../answers/tool-results.ts';
import { endText, viaText } from './pql-text.ts';
import {
  COUNT,
  CUT,
  DIRECTION,
  limit,
  NAME,
  RECORDS,
  SHORTENED,
  TIMEOUT_MS,
  VERBS,
  WARNINGS,
} from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const DEPTH = z.int().min(1).max(100).describe('most relationships on the way');
const BLAST_LIMIT = 50;
const BLAST_DEPTH = 4;
const END = NAME.describe('key or id');

export const SHORTEST_PATH_TOOL: Tool = defineTool({
  name: 'shortest_path',
  requires: 'read',
  keepsScope: true,
  title: 'How one entity reaches another',
  description: `Finds the shortest way from one entity to another over relationships: the entities on it and the relationships
between them. A count of 0 means that there is no way, unless a warning UNKNOWN_KEY says that an end was not found:
then it names the nearest keys. For reach of an attacker or a permission use direction out.
Example: {"from": "alice", "to": "customers-db", "direction": "out"}`,
  input: z.strictObject({
    from: END,
    from_type: NAME.optional(),
    to: END,
    to_type: NAME.optional(),
    verbs: VERBS.optional().describe('default: every relationship'),
    direction: DIRECTION.default('any'),
    depth: DEPTH.optional(),
    timeout_ms: TIMEOUT_MS,
  }),
  output: z.looseObject({ count: COUNT, paths: RECORDS, warnings: WARNINGS, shortened: SHORTENED }),
  answer: async ({ from, from_type, to, to_type, timeout_ms, ...via }, { answers, signal }) => {
    const begin = endText({ name: from, type: from_type });
    const end = endText({ name: to, type: to_type });
    const pql = `FIND SHORTEST PATH FROM ${begin} TO ${end}${viaText(via)}`;
    const reply = await answers.query({ pql, timeout_ms }, signal);
    const answer = pqlAnswer(reply, { limit: 1, hint: 'narrow it by verbs' });
    return { ...answer, paths: answer['paths'] ?? [], pql };
  },
});

export const BLAST_RADIUS_TOOL: Tool = defineTool({
  name: 'blast_radius',
  requires: 'read',
  keepsScope: true,
  title: 'What an entity reaches',
  description: `Gives everything that is reached from an entity over relationships within a depth: each entity once, at its least
depth, with the relationship that reached it, and counts by class. Use it for "what is affected if this is
compromised or fails": direction out follows relationships forwards, in asks who leads to it. The warning
DEPTH_LIMIT says that there is more beyond the depth.
Example: {"entity": "web-01", "direction": "out", "depth": 3}`,
  input: z.strictObject({
    entity: END,
    type: NAME.optional(),
    verbs: VERBS.optional().describe('default: every relationship'),
    direction: DIRECTION.default('any'),
    depth: DEPTH.default(BLAST_DEPTH),
    limit: limit(BLAST_LIMIT),
    timeout_ms: TIMEOUT_MS,
  }),
  output: z.looseObject({
    count: COUNT,
    impacted: RECORDS.describe('entity, depth, via'),
    impacted_by_class: z.record(z.string(), z.int()).optional(),
    warnings: WARNINGS,
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: async ({ entity, type, limit: most, timeout_ms, ...via }, { answers, signal }) => {
    const pql = `FIND BLAST RADIUS FROM ${endText({ name: entity, type })}${viaText(via)}`;
    const reply = await answers.query({ pql, limit: most, timeout_ms }, signal);
    const hint = 'take less depth, name verbs, or look at impacted_by_class';
    const answer = pqlAnswer(reply, { limit: most, hint });
    return { ...answer, impacted: answer['impacted'] ?? [], pql };
  },
});
