import { fromHex } from '#load/chain';
import { type EdgeInstance, type FinalRows, type RowOf, TableBuilder } from '#load/telemetry';
import type { EdgeRow, FoundViolation } from './telemetry-messages.ts';

/** What the oracle found, as rows of the edges that sent the transactions. */
export function violationRows(
  found: readonly FoundViolation[],
  instances: ReadonlyMap<string, EdgeInstance>,
): readonly FinalRows[] {
  const byEdge = Map.groupBy(found, ({ violation }) => violation.edgeId);
  return Array.from(byEdge, ([edgeId, own]) => {
    const builder = new TableBuilder('violations');
    for (const one of own) builder.append(violationRow(one));
    const edge = instances.get(edgeId) ?? { edgeId, instanceId: '' };
    return { edge, batches: [builder.batch()] };
  });
}

/** One row for each life of an edge. */
export function edgeRows(rows: readonly EdgeRow[]): readonly FinalRows[] {
  return rows.map(({ edge, row }) => {
    const builder = new TableBuilder('edges');
    builder.append(row);
    return { edge, batches: [builder.batch()] };
  });
}

function violationRow({ violation, atUs }: FoundViolation): RowOf<'violations'> {
  const { check, kind, account, hash, nonce, blockNumber, expected, observed, receipt, calls, note } =
    violation;
  return {
    check,
    kind,
    account: fromHex(account),
    hash: hash === null ? null : fromHex(hash),
    nonce,
    block_number: blockNumber,
    expected,
    observed,
    receipt_json: receipt,
    calls_json: JSON.stringify(calls),
    at_us: atUs,
    note,
  };
}
