import { z } from 'zod';
import { DomainError } from '#platform/foundation';
import { cutOf, fittedItems } from '../answers/fitted-items.ts';
import { containsPattern, nameText } from './pql-text.ts';
import { COUNT, CUT, DIRECTION, limit, NAME, RECORD, RECORDS, SHORTENED, TIMEOUT_MS } from './shapes.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

const FIND_LIMIT = 20;
const NEIGHBORS_LIMIT = 50;
/** Maximum number of entities listed for an ambiguous key. */
const SAME_KEY_MAX = 10;

const EXACT = '_id = $text OR _key = $text OR display_name = $text OR name = $text';
const PARTLY = '_key ILIKE $like OR display_name ILIKE $like OR name ILIKE $like';

interface FoundEntity {
  readonly id: string;
  readonly type: string;
}

export const FIND_ENTITY_TOOL: Tool = defineTool({
  name: 'find_entity',
  requires: 'read',
  keepsScope: true,
  title: 'Find entities by name',
  description: `Finds entities by id, key or name: those that are called so come first, then those with the text in their key or
name, in any case. Gives id, type, class, key, display_name, labels and properties. Use it to turn what a user says into
the key or id that the other tools take. kind narrows it to a type, class or label.
Example: {"text": "web-0", "kind": "Host"}`,
  input: z.strictObject({
    text: NAME,
    kind: NAME.optional().describe('a type, class or label'),
    limit: limit(FIND_LIMIT),
    timeout_ms: TIMEOUT_MS,
  }),
  output: z.looseObject({
    count: COUNT,
    entities: RECORDS,
    note: z.string().optional(),
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: async ({ text, kind, ...bounds }, { answers, signal }) => {
    const what = kind === undefined ? '*' : nameText(kind);
    const params = { text, like: containsPattern(text) };
    const find = (condition: string) =>
      answers.query({ pql: `FIND ${what} WITH ${condition}`, params, ...bounds }, signal);
    const exact = await find(EXACT);
    const partly = await find(`(${EXACT}) OR ${PARTLY}`);
    const first = new Set(exact.entities.map(idOf));
    const others = partly.entities.filter((entity) => !first.has(idOf(entity)));
    const { items, shortened } = fittedItems([...exact.entities, ...others].slice(0, bounds.limit));
    const cut = cutOf(items.length, partly.count, bounds.limit, 'give more of the name, or a kind');
    const unknown = partly.warnings.find(({ code }) => code === 'UNKNOWN_CLASS');
    return {
      count: partly.count,
      entities: items,
      ...(unknown !== undefined && { note: unknown.message }),
      ...(cut !== undefined && { cut }),
      ...(shortened > 0 && { shortened }),
    };
  },
});

export const NEIGHBORS_TOOL: Tool = defineTool({
  name: 'neighbors',
  requires: 'read',
  keepsScope: true,
  title: 'What an entity is linked with',
  description: `Gives the relationships of one entity with the entities at their other ends: verb, direction as seen from it (out,
in), properties of the relationship, and the neighbour. The entity is named by key or id; give its type where
several types have the key.
Example: {"entity": "web-01", "verb": "RUNS", "direction": "out"}`,
  input: z.strictObject({
    entity: NAME.describe('key or id'),
    type: NAME.optional(),
    verb: NAME.optional().describe('default: every verb'),
    direction: DIRECTION.default('any'),
    limit: limit(NEIGHBORS_LIMIT),
  }),
  output: z.looseObject({
    entity: RECORD,
    count: COUNT,
    neighbors: RECORDS.describe('direction, verb, relationship, entity'),
    cut: CUT,
    shortened: SHORTENED,
  }),
  answer: async ({ entity: name, type, ...options }, context) => {
    const found = await entityNamed(name, type, context);
    const reply = await context.answers.neighbors(found.id, options, context.signal);
    const seen = reply.neighbors.map(({ relationship: { verb, from, properties, id }, entity }) => ({
      direction: from.id === found.id ? 'out' : 'in',
      verb,
      relationship: { id, properties },
      entity,
    }));
    const { items, shortened } = fittedItems(seen);
    const cut = cutOf(items.length, reply.count, options.limit, 'name a verb or a direction, or use query');
    return {
      entity: fittedItems([found]).items[0] ?? { id: found.id, type: found.type },
      count: reply.count,
      neighbors: items,
      ...(cut !== undefined && { cut }),
      ...(shortened > 0 && { shortened }),
    };
  },
});

/** The entity with a key or id. Throws NOT_FOUND, and INVALID_REQUEST if several entities have the key. */
async function entityNamed(
  text: string,
  type: string | undefined,
  { answers, signal }: ToolContext,
): Promise<FoundEntity> {
  const what = type === undefined ? '*' : nameText(type);
  const pql = `FIND ${what} WITH _id = $text OR _key = $text`;
  const { entities, count } = await answers.query({ pql, params: { text }, limit: SAME_KEY_MAX }, signal);
  const [found] = entities as readonly FoundEntity[];
  if (found === undefined)
    throw new DomainError('NOT_FOUND', 'no entity has this key or id', { details: { text } });
  if (count === 1) return found;
  const types = (entities as readonly FoundEntity[]).map((each) => each.type);
  throw new DomainError('INVALID_REQUEST', `type: ${count} entities have this key`, {
    details: { field: 'type', hint: `name one: ${types.join(', ')}` },
  });
}

function idOf(entity: unknown): string {
  return (entity as FoundEntity).id;
}
