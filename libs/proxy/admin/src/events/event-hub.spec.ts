import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ScriptedProxySource } from '#proxy/testing';
import { EventHub } from './event-hub.ts';
import { EventLog } from './event-log.ts';

describe('EventHub', () => {
  let source: ScriptedProxySource;
  let hub: EventHub;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    source = new ScriptedProxySource();
    hub = new EventHub(source, new EventLog(source, 'epoch'));
  });
  afterEach(() => {
    hub.close();
    jest.useRealTimers();
  });

  /** The output to a reader without a socket. */
  const reader = async (snapshots: boolean) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const written: string[] = [];
    jest.spyOn(response, 'write').mockImplementation((text: unknown) => !!written.push(String(text)));
    await hub.add(response, { lastEventId: undefined, history: false, snapshots });
    return { response, written };
  };

  it('sends a comment every ten seconds, so that an idle connection is not closed', async () => {
    const { written } = await reader(false);

    await jest.advanceTimersByTimeAsync(30_000);

    expect(written).toEqual(['retry: 2000\n\n', ...Array<string>(3).fill(': keep-alive\n\n')]);
  });

  it('makes one snapshot per second for all readers that request it, and none for others', async () => {
    const looks = jest.spyOn(source, 'snapshot');
    const readers = [await reader(true), await reader(true), await reader(false)];
    looks.mockClear();

    await jest.advanceTimersByTimeAsync(5_000);

    expect(looks).toHaveBeenCalledTimes(5);
    expect(
      readers.map(({ written }) => written.filter((text) => text.includes('event: snapshot')).length),
    ).toEqual([6, 6, 0]);
  });

  it('does nothing without readers', async () => {
    const { response } = await reader(true);
    const looks = jest.spyOn(source, 'snapshot');

    response.emit('close');
    await jest.advanceTimersByTimeAsync(60_000);

    expect([hub.readerCount, jest.getTimerCount(), looks.mock.calls.length]).toEqual([0, 0, 0]);
  });

  it('does not keep a reader that disconnected before it was added', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.destroy();

    await hub.add(response, { lastEventId: undefined, history: false, snapshots: false });

    expect(hub.readerCount).toBe(0);
  });
});
