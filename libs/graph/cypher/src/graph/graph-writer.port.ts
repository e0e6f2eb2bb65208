import type { CypherMap } from '../value/value.ts';

/** Changes of a graph inside one statement, which its later clauses see. */
export interface GraphWriter {
  createNode(labels: readonly string[], properties: CypherMap): number;
  createLink(
    type: string,
    ends: { readonly from: number; readonly to: number },
    properties: CypherMap,
  ): number;
}
