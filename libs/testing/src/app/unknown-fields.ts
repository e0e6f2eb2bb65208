interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly parameters?: readonly { readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/**
 * Sends an unknown field to each route of an application that accepts a JSON body, and to each that accepts a
 * query string. Returns `POST /v1/query body` → status.
 */
export async function answersToUnknownFields(url: string): Promise<ReadonlyMap<string, number>> {
  const reply = await fetch(`${url}/docs-json`);
  const { paths } = (await reply.json()) as OpenApiDocument;
  const answers = new Map<string, number>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const route = `${method.toUpperCase()} ${path}`;
      const target = url + path.replaceAll(/\{\w+\}/g, '1');
      if (requestBody?.content['application/json'] !== undefined) {
        answers.set(`${route} body`, await statusOf(target, method, '{"no_such_field": 1}'));
      }
      if (parameters.some((parameter) => parameter.in === 'query')) {
        answers.set(`${route} query`, await statusOf(`${target}?no_such_field=1`, method));
      }
    }
  }
  return answers;
}

async function statusOf(target: string, method: string, body?: string): Promise<number> {
  const hasBody = body !== undefined || /post|put|patch/.test(method);
  const reply = await fetch(target, {
    method: method.toUpperCase(),
    ...(hasBody && { headers: { 'content-type': 'application/json' }, body: body ?? '{}' }),
  });
  await reply.arrayBuffer();
  return reply.status;
}
