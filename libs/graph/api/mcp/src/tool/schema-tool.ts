import { z } from 'zod';
import { cutOf, fittedItems } from '../answers/fitted-items.ts';
import type { SchemaReply } from '../answers/graph-answers.port.ts';
import { CUT, NAME, RECORDS } from './shapes.ts';
import { defineTool, type Tool } from './tool.ts';

const NAMES_MAX = 200;
const NAMES_BYTES_MAX = 16 * 1024;
const TYPES_BYTES_MAX = 64 * 1024;
const HINT = 'name a type, a class or a label';

/** The names in a graph within bounds, most frequent first. */
export function schemaAnswer(
  { classes, labels, types, verbs }: SchemaReply,
  { type, class: className }: { readonly type?: string | undefined; readonly class?: string | undefined },
): Record<string, unknown> {
  const isWhole = type === undefined && className === undefined;
  const wanted = types.filter(
    (each) =>
      (type === undefined || each.name === type) &&
      (className === undefined ||
        each.classes.includes(className) ||
        each.labels?.includes(className) === true),
  );
  const shown = byCount(wanted).map((each) => (isWhole ? namesOnly(each) : each));
  const { items } = fittedItems(shown, TYPES_BYTES_MAX);
  const cut = cutOf(items.length, wanted.length, wanted.length, HINT);
  return {
    classes: isWhole ? firstNames(classes) : [],
    ...(isWhole && labels !== undefined && { labels: firstNames(labels) }),
    verbs: isWhole ? firstNames(verbs) : [],
    types: items,
    ...(wanted.length === 0 && { note: isWhole ? 'the graph is empty' : 'no type is called so' }),
    ...(cut !== undefined && { cut }),
  };
}

export const SCHEMA_TOOL: Tool = defineTool({
  name: 'schema',
  requires: 'read',
  keepsScope: true,
  title: 'Words of this graph',
  description: `Gives the classes, types, labels, verbs and properties that the live data has, with counts, the most common
first. Ask this before writing PQL: FIND takes a type (such as aws_instance), a class (such as Host) or a label, THAT
takes a verb, WITH takes properties. With type or class, the properties of those alone, each with its kinds of values.
Example: {"type": "host"}`,
  input: z.strictObject({
    type: NAME.optional(),
    class: NAME.optional().describe('or a label'),
  }),
  output: z.looseObject({
    classes: z.array(z.looseObject({ name: z.string(), count: z.int() })),
    labels: z.array(z.looseObject({ name: z.string(), count: z.int() })).optional(),
    verbs: z.array(z.looseObject({ name: z.string(), count: z.int() })),
    types: RECORDS.describe('name, count, classes, labels, properties'),
    note: z.string().optional(),
    cut: CUT,
  }),
  answer: async (args, { answers, signal }) => schemaAnswer(await answers.schema(signal), args),
});

function namesOnly({ properties, ...type }: SchemaReply['types'][number]): object {
  return { ...type, properties: properties.map(({ name }) => name) };
}

function firstNames(names: readonly { readonly name: string; readonly count: number }[]): readonly unknown[] {
  return fittedItems(byCount(names).slice(0, NAMES_MAX), NAMES_BYTES_MAX).items;
}

function byCount<Counted extends { readonly count: number }>(items: readonly Counted[]): readonly Counted[] {
  return [...items].sort((a, b) => b.count - a.count);
}
