import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { parseRule } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import type { Answer, Order } from './messages.ts';
import { serveEvaluations } from './serve-evaluations.ts';
import { TaskClaims } from './task-claims.ts';

/** The thread's end of a port; what is posted stays here. */
class KeptPort extends EventEmitter {
  readonly posted: Answer[] = [];

  postMessage(message: Answer): void {
    this.posted.push(message);
  }
}

describe('a thread of evaluations', () => {
  it('says when it has attached the snapshot, what came of each task, and when none is left', () => {
    const port = new KeptPort();
    serveEvaluations(port as Pick<MessagePort, 'postMessage'> as MessagePort, () => new NaiveReader(FIXTURE));
    const rule = parseRule(jsonSource({ id: 'r', query: 'FIND host' }));
    const task = { rule, params: {}, violationsMax: 10, timeoutMs: 60_000, nowMs: 0 };
    const claims = TaskClaims.of(3);
    claims.take(1);
    const order: Order = { thread: 0, shared: undefined, tasks: [task, task, task], claims: claims.buffer };

    port.emit('message', order);

    expect(port.posted.map((answer) => ('index' in answer ? answer.index : answer.kind))).toEqual([
      'attached',
      1,
      2,
      'done',
    ]);
    expect(claims.takenBy(0)).toEqual([1, 2]);
  });
});
