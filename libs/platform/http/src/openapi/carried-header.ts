import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document-parts.ts';

/** A header that stands on replies, and that requests may hand on. */
export interface CarriedHeader {
  readonly name: string;
  /** Which paths know it. */
  readonly paths: RegExp;
  readonly schema: Readonly<{ type: 'string'; pattern: string; example: string }>;
  /** What it tells on a reply. */
  readonly reply: string;
  /** What it does on a request. */
  readonly request: string;
}

/** Describes the header once, and refers to it from each operation that needs a key, and from each reply. */
export function placeCarriedHeader(document: OpenAPIObject, header: CarriedHeader): void {
  const { name, paths, schema, reply, request } = header;
  const id = name.replaceAll('-', '');
  document.components = {
    ...document.components,
    parameters: { [id]: { name, in: 'header', required: false, description: request, schema } },
    headers: { [id]: { description: reply, schema } },
  };
  const known = Object.entries(document.paths).filter(([path]) => paths.test(path));
  for (const operation of operationsOf({ ...document, paths: Object.fromEntries(known) })) {
    if ('401' in operation.responses) {
      const reference = { $ref: `#/components/parameters/${id}` };
      operation.parameters = [...(operation.parameters ?? []), reference];
    }
    for (const response of Object.values(operation.responses)) {
      if (response === undefined || '$ref' in response) continue;
      response.headers = { ...response.headers, [name]: { $ref: `#/components/headers/${id}` } };
    }
  }
}
