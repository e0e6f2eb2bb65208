import { describe, expect, it } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { REPLAYABLE_BYTES_MAX, RequestBody } from './request-body.ts';

/** A completely received body of which nothing has been forwarded. */
function held(bytes: number): Promise<RequestBody> {
  const request = new IncomingMessage(new Socket());
  request.push(Buffer.alloc(bytes));
  request.push(null);
  return new Promise((resolve) => {
    const body: RequestBody = new RequestBody(request, bytes, {
      bodyReady: () => undefined,
      bodyMoved: () => undefined,
      bodyEnded: () => resolve(body),
    });
  });
}

describe('RequestBody, received completely before it is forwarded', () => {
  it.each([
    [1, true],
    [REPLAYABLE_BYTES_MAX, true],
    [REPLAYABLE_BYTES_MAX + 1, false],
  ])('of %d bytes can be sent again: %p', async (bytes, isReplayable) => {
    expect((await held(bytes)).isReplayable).toBe(isReplayable);
  });
});
