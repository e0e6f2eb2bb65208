import type { MessagePort } from 'node:worker_threads';
import { InvariantViolation } from '#foundation';
import type { GraphReader } from '#query';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import type { Answer, Order } from './messages.ts';

/**
 * The thread's side of an {@link EvaluationPool}: `attach` makes a reader of a shared snapshot. A defect ends
 * the thread; the pool starts another.
 */
export function serveEvaluations(port: MessagePort, attach: (shared: unknown) => GraphReader): void {
  let reader: GraphReader | undefined;
  let engine = createRuleEngine();
  const answer = (message: Answer): void => {
    port.postMessage(message);
  };
  port.on('message', (order: Order) => {
    switch (order.kind) {
      case 'attach':
        reader = attach(order.shared);
        engine = createRuleEngine();
        answer({ kind: 'attached' });
        return;
      case 'evaluate':
        if (reader === undefined) throw new InvariantViolation('a rule came before its snapshot');
        answer({ kind: 'outcome', outcome: evaluateRule(engine, reader, order.task) });
        return;
      case 'release':
        reader = undefined;
    }
  });
}
