/** A thread that evaluates rules over the graph's shared memory. */
import { GraphSnapshot, type SharedSnapshot } from '#graph/engine';
import { serveThread } from '#platform/threads';
import { evaluateOrder } from '../pool/evaluate-order.ts';
import type { EvaluationCalls, EvaluationEvents } from '../pool/messages.ts';

serveThread<EvaluationCalls, EvaluationEvents>((_setup, parent) => ({
  calls: {
    evaluate: (order) => {
      evaluateOrder(order, (shared) => GraphSnapshot.attach(shared as SharedSnapshot), parent);
    },
  },
}));
