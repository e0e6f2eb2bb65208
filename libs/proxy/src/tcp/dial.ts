import { connect as connectPlain, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { Target } from '../cluster/target.ts';
import type { Timers } from '../cluster/timers.ts';

export interface DialOptions {
  readonly target: Target;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** Undefined: plain. */
  readonly tls: ConnectionOptions | undefined;
  /** Who gets what comes, instead of the socket's `data` event. Only for plain connections. */
  readonly onread?: OnReadOpts | undefined;
  /** Called once: with the fault, or without one when the connection, and TLS on it, stands. */
  readonly onDone: (fault: Error | undefined, socket: Socket) => void;
}

const TCP_KEEP_ALIVE_MS = 60_000;

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('connect timed out');
  }
}

/** Connects to a target. Whoever destroys the socket before it is connected is told of a fault. */
export function dial({ target, timers, timeoutMs, tls, onread, onDone }: DialOptions): Socket {
  const { ip: host, port } = target;
  const settings = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    allowHalfOpen: tls === undefined,
  };
  const socket =
    tls === undefined
      ? connectPlain(onread === undefined ? settings : { ...settings, onread })
      : connectTls({ ...settings, ...tls });
  const callOff = timers.after(timeoutMs, () => socket.destroy(new ConnectTimeout()));
  const onFault = (fault?: Error): void => finish(fault ?? new Error('connection was closed'));
  const onClose = (): void => finish(new Error('connection was closed'));
  const finish = (fault: Error | undefined): void => {
    callOff();
    socket.off('close', onClose);
    // A fault after the end is not ours any more: whoever has the socket listens.
    if (fault === undefined) socket.off('error', onFault);
    onDone(fault, socket);
  };
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => finish(undefined));
  socket.once('error', onFault);
  socket.once('close', onClose);
  return socket;
}
