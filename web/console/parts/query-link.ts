import { hashOf } from '../../kit/shell/hash-address.ts';

/** A query with the values of its parameters, as the body of a request has it. */
export interface QueryText {
  readonly pql: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The address at which the query view opens a query, with its parameters. */
export function queryLink({ pql, params = {} }: QueryText): string {
  const hasParams = Object.keys(params).length > 0;
  return hashOf('query', hasParams ? { q: pql, p: JSON.stringify(params) } : { q: pql });
}
