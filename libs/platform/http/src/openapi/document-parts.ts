import type { OpenAPIObject } from '@nestjs/swagger';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Responses by operation id: to the operation's example, or to each of its named examples. */
export type ReplyExamples = Readonly<
  Record<string, { readonly value: unknown } | { readonly named: Readonly<Record<string, unknown>> }>
>;

/** Adds examples to the first success response of each operation that has none. */
export function placeReplies(document: OpenAPIObject, replies: ReplyExamples): void {
  for (const operation of operationsOf(document)) {
    const reply = replies[operation.operationId ?? ''];
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
    if (reply === undefined || success === undefined || !('content' in success)) continue;
    const { content } = success;
    const media = content['application/json'];
    if (media === undefined) continue;
    if ('value' in reply) media.example = reply.value;
    else {
      const examples = Object.entries(reply.named).map(([name, value]) => [name, { value }] as const);
      media.examples = Object.fromEntries(examples);
    }
  }
}

/** Removes query-string classes from the schemas: they are documented as parameters. */
export function dropUnusedSchemas(document: OpenAPIObject): void {
  const schemas = document.components?.schemas ?? {};
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    if (unused.length === 0) return;
    for (const name of unused) Reflect.deleteProperty(schemas, name);
  }
}

export function operationsOf({ paths }: OpenAPIObject): readonly Operation[] {
  return Object.values(paths).flatMap(({ get, post, put, delete: remove }) =>
    [get, post, put, remove].filter((operation) => operation !== undefined),
  );
}
