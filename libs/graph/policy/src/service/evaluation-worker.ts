/** A thread that evaluates rules on the shared memory of the graph. */
import { GraphSnapshot, KeptBase, type SharedSnapshot } from '#graph/memory';
import { serveThread } from '#platform/threads';
import { evaluateOrder, type EvaluationCalls, type EvaluationEvents } from '../pool/evaluation-order.ts';
import { createRuleEngine } from '../rule/rule-query.ts';

serveThread<EvaluationCalls, EvaluationEvents>((_setup, parent) => {
  const engine = createRuleEngine();
  const base = new KeptBase();
  const attach = (shared: unknown): GraphSnapshot => GraphSnapshot.attach(shared as SharedSnapshot, base);
  return {
    calls: {
      evaluate: (order) => {
        evaluateOrder(order, { engine, parent, attach });
      },
    },
  };
});
