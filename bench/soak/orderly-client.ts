/** A correct client with kept connections: each of its requests must be answered correctly. */
import { connect, type Socket } from 'node:net';
import { pause } from './chance.ts';
import { SOUND_BODY } from './upstreams.ts';

const REQUEST = 'GET /orderly HTTP/1.1\r\nHost: soak.example\r\n\r\n';
const WHOLE = /^HTTP\/1\.1 200 OK\r\n[^]*?\r\n\r\n([^]*)$/;
const CLOSES = /\r\nconnection: close\r\n/i;

export interface OrderlyTally {
  connections: number;
  answered: number;
  /** Sent completely, and not answered as the upstream does. */
  lost: number;
  /** Received instead, for the first few. */
  readonly faults: string[];
}

/** Sends requests until `isOver`. */
export async function behave(
  port: number,
  tally: OrderlyTally,
  { isOver, pauseMs }: { readonly isOver: () => boolean; readonly pauseMs: number },
): Promise<void> {
  while (!isOver()) {
    const socket = await connected(port);
    tally.connections += 1;
    let isLast = false;
    while (!isLast) {
      isLast = isOver();
      const received = await ask(socket);
      const body = WHOLE.exec(received)?.[1];
      if (body === SOUND_BODY) tally.answered += 1;
      else noteLoss(tally, received);
      isLast ||= body !== SOUND_BODY || CLOSES.test(received);
      await pause(pauseMs);
    }
    socket.destroy();
  }
}

function noteLoss(tally: OrderlyTally, received: string): void {
  tally.lost += 1;
  if (tally.faults.length < 10) tally.faults.push(JSON.stringify(received.slice(0, 300)));
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}

/** The answer, or its beginning when the connection was closed. */
function ask(socket: Socket): Promise<string> {
  let received = '';
  return new Promise((resolve) => {
    const onClose = (): void => {
      finish();
    };
    const onData = (text: string): void => {
      received += text;
      if ((WHOLE.exec(received)?.[1] ?? '').length >= SOUND_BODY.length) finish();
    };
    const finish = (): void => {
      socket.off('data', onData).off('close', onClose);
      resolve(received);
    };
    socket.on('data', onData).on('close', onClose);
    if (socket.destroyed) finish();
    else socket.write(REQUEST);
  });
}
