import { describe, expect, it } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { DownstreamCounters, ListenerCounters } from '../listener/listener-counters.ts';
import { ForwardedAnswer } from './answer.ts';
import { HeadFlusher } from './head-flusher.ts';
import { UNROUTED } from './own-answer.ts';
import { ResponseHead } from './response-head.ts';

function begun(headers: readonly string[], reason = '') {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const counters = new ListenerCounters(new DownstreamCounters());
  const answer = new ForwardedAnswer(request, response, counters);
  const isSaid = answer.begin(new ResponseHead(200, headers), reason, new HeadFlusher());
  return { answer, counters, isSaid, response };
}

describe('Answer', () => {
  it.each([
    ['a control character in a value', ['X', 'a\x01b']],
    ['a line feed in a value', ['X', 'a\nb']],
    ['an invalid name', ['X Y', 'a']],
    ['an empty name', ['', 'a']],
  ])('with %s cannot be written: nothing is sent, and its connection ends', (_, headers) => {
    const { answer, counters, isSaid, response } = begun(headers);

    expect([isSaid, answer.isBegun, answer.statusCode]).toEqual([false, false, 0]);
    answer.send(UNROUTED);
    expect([response.headersSent, response.destroyed]).toEqual([false, true]);
    expect(counters.requestsByClass()).toMatchObject({ '2xx': 0, '4xx': 0 });
  });

  it('has begun once its head is written', () => {
    const { answer, counters, isSaid } = begun(['X', 'a'], 'Fine\x01');

    expect([isSaid, answer.isBegun, answer.statusCode]).toEqual([true, true, 200]);
    expect(counters.requestsByClass()).toMatchObject({ '2xx': 1 });
  });
});
