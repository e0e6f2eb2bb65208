import { z } from 'zod';
import { SEARCH_TEXT_MAX } from '#graph/search';
import { cutOf } from '../answers/fitted-items.ts';
import { CUT, limit, NAME, RECORDS } from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const SEARCH_LIMIT = 20;

export const SEARCH_TOOL: Tool = defineTool({
  name: 'search',
  requires: 'read',
  keepsScope: true,
  title: 'Search entities by a part of their name',
  description: `Finds entities of all types by a part of their key or name, in any case, and counts them by type: the quickest way
from what a user says to what the graph has. The best come first: equal names, then those that begin with the text. Texts
of one or two letters are found at the start of names only. Gives id, type, class, key and names; find_entity gives
properties as well.
Example: {"text": "log4j", "kind": "Package"}`,
  input: z.strictObject({
    text: z.string().min(1).max(SEARCH_TEXT_MAX),
    kind: NAME.optional().describe('a type, class or label'),
    limit: limit(SEARCH_LIMIT),
  }),
  output: z.looseObject({
    count: z.int().describe('how many have the text in a name; at least so many if not complete'),
    complete: z.boolean().describe('false after 10,000, when the search ends'),
    counts: z.array(z.looseObject({ type: z.string(), count: z.int() })).describe('by type, the most first'),
    entities: RECORDS.describe('id, type, class, key, display_name, name'),
    cut: CUT,
  }),
  answer: async ({ text, kind: type, limit: most }, { answers, signal }) => {
    const { count, complete, counts, entities } = await answers.search({ text, type, limit: most }, signal);
    const cut = cutOf(entities.length, count, most, 'give more of the name, or a kind');
    return { count, complete, counts, entities, ...(cut !== undefined && { cut }) };
  },
});
