/** A thread that attaches, claims a task, and then stops answering or ends, for the tests of pools. */
import { serveThread } from '#platform/threads';
import type { EvaluationCalls, EvaluationEvents } from '../src/pool/evaluation-order.ts';
import { TaskClaims } from '../src/pool/task-claims.ts';

serveThread<EvaluationCalls, EvaluationEvents>((setup, parent) => ({
  calls: {
    evaluate: ({ thread, claims }) => {
      parent.emit('attached', []);
      new TaskClaims(claims).claim(thread);
      if (setup === 'ends') process.exit(7);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
    },
  },
}));
