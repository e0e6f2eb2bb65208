import { hashOf } from '../../kit/shell/hash-address.ts';

/** A query with the values of its parameters, as in the body of a request. */
export interface QueryText {
  readonly pql: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The address of the query view for a query with its parameters. */
export function queryLink({ pql, params = {} }: QueryText): string {
  const hasParams = Object.keys(params).length > 0;
  return hashOf('query', hasParams ? { q: pql, p: JSON.stringify(params) } : { q: pql });
}
