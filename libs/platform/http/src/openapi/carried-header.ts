import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document-parts.ts';

/** A header that responses carry, and that requests may send back. */
export interface CarriedHeader {
  readonly name: string;
  /** The paths that support it. */
  readonly paths: RegExp;
  readonly schema: Readonly<{ type: 'string'; pattern: string; example: string }>;
  /** Its meaning on a response. */
  readonly reply: string;
  /** Its effect on a request. */
  readonly request: string;
}

/**
 * Describes the header once, and references it from each operation that needs a key and from each response.
 */
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
