import { hashOf } from '../../kit/shell/hash-address.ts';

/** A query with the values of its parameters, as in the body of a request: PQL, or Cypher. */
export interface QueryText {
  readonly pql?: string;
  readonly cypher?: string;
  readonly params?: object;
  /** How its result is shown; default: as a table. */
  readonly view?: 'graph';
  /** RFC 3339; default: now. */
  readonly asOf?: string | undefined;
}

/** The address of the query view for a query with its parameters. */
export function queryLink({ pql = '', cypher, params = {}, view, asOf }: QueryText): string {
  const hasParams = Object.keys(params).length > 0;
  return hashOf('query', {
    q: cypher ?? pql,
    ...(hasParams && { p: JSON.stringify(params) }),
    ...(cypher !== undefined && { l: 'cypher' }),
    ...(view !== undefined && { v: view }),
    ...(asOf !== undefined && { t: asOf }),
  });
}
