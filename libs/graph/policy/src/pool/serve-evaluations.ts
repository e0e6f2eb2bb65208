import type { MessagePort } from 'node:worker_threads';
import type { GraphReader } from '#graph/query';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import type { Answer, Order } from './messages.ts';
import { TaskClaims } from './task-claims.ts';

/**
 * The thread's side of an {@link EvaluationPool}: `attach` makes a reader of a shared snapshot. A defect ends
 * the thread; the pool starts another.
 */
export function serveEvaluations(port: MessagePort, attach: (shared: unknown) => GraphReader): void {
  const answer = (message: Answer): void => {
    port.postMessage(message);
  };
  port.on('message', ({ thread, shared, tasks, claims: buffer }: Order) => {
    const reader = attach(shared);
    const engine = createRuleEngine();
    answer({ kind: 'attached' });
    const claims = new TaskClaims(buffer);
    for (let index = claims.take(thread); index !== undefined; index = claims.take(thread)) {
      const task = tasks[index];
      if (task !== undefined) answer({ kind: 'outcome', index, outcome: evaluateRule(engine, reader, task) });
    }
    answer({ kind: 'done' });
  });
}
