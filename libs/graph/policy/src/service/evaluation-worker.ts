/** A thread that evaluates rules on the shared memory of the graph. */
import { GraphSnapshot, KeptBase, ScopedSnapshot, type SharedSnapshot } from '#graph/memory';
import type { Scope } from '#graph/model';
import { serveThread } from '#platform/threads';
import { evaluateOrder, type EvaluationCalls, type EvaluationEvents } from '../pool/evaluation-order.ts';
import { createRuleEngine } from '../rule/rule-query.ts';

serveThread<EvaluationCalls, EvaluationEvents>((_setup, parent) => {
  const engine = createRuleEngine();
  const base = new KeptBase();
  const attach = (shared: unknown, scope: Scope | undefined): GraphSnapshot | ScopedSnapshot =>
    ScopedSnapshot.within(GraphSnapshot.attach(shared as SharedSnapshot, base), scope);
  return {
    calls: {
      evaluate: (order) => {
        evaluateOrder(order, { engine, parent, attach });
      },
    },
  };
});
