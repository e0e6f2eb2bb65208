import type { Violation } from '../src/evidence/verdict.ts';
import type { TipPolicy } from '../src/checks/gas-rules.ts';
import { OracleFold } from '../src/oracle-fold.ts';
import { ScriptedEdge } from './scripted-edge.ts';

export const EDGE = 'edge-1';

interface Word {
  readonly accounts: number;
  readonly isLost: boolean;
  readonly includedCount: number;
  readonly hasFeed: boolean;
  readonly tips: TipPolicy;
}

/** The oracle's results for all batches of an edge. */
export function judge(
  edge: ScriptedEdge,
  {
    accounts = edge.balances.length,
    isLost = false,
    includedCount = 0,
    hasFeed = true,
    tips = 'auto',
  }: Partial<Word> = {},
) {
  const told: Violation[] = [];
  const fold = new OracleFold({
    accountCounts: new Map([[EDGE, accounts]]),
    hasFeed,
    tips,
    onViolation: (violation) => told.push(violation),
  });
  for (const batches of edge.batches) fold.apply(EDGE, batches);
  const verdicts = fold.conclude(new Map([[EDGE, { isLost, includedCount }]]));
  return {
    told,
    verdicts,
    seen: fold.seen.get(EDGE),
    findings: fold.findings.get(EDGE),
    words: [verdicts.nonce.verdict, verdicts.balance.verdict, verdicts.gas.verdict],
  };
}

/** Three accounts, four transactions, one of which fails; `between` runs before the last one. */
export function run(between: (edge: ScriptedEdge) => void = () => undefined): ScriptedEdge {
  const edge = new ScriptedEdge(3);
  edge.pin('start');
  edge.send(0, 1);
  edge.send(1, 2, { isSuccess: false });
  edge.send(0, 1, { valueWei: 7n });
  edge.recordInterval();
  between(edge);
  edge.send(2, 0);
  edge.recordInterval();
  edge.pin('end');
  return edge;
}
