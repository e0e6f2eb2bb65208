/**
 * Connecting to a target, by every address that its name has (RFC 8305): its own first, and when that fails,
 * or has not come to a connection after a quarter of a second, the others one after the other, IPv6 and IPv4
 * in turn. The first connection that stands, with TLS where there is some, is taken; the others are dropped.
 * One `connect_timeout` holds for all of them together: they begin so close to each other that each one does.
 */
import { connect as connectPlain, isIPv6, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { CallOff, Timers } from '../cluster/target/cluster-surroundings.ts';
import type { Target } from '../cluster/target/target.ts';
import { type FailureReason, failureReasonOf } from '../source/upstream-failure.ts';

export interface DialOptions {
  readonly target: Target;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** Undefined: plain. */
  readonly tls: ConnectionOptions | undefined;
  readonly owner: DialOwner;
}

/** Who wants a connection. One of `connected` and `dialFailed` is called, once, unless it is called off. */
export interface DialOwner {
  connected(socket: Socket): void;
  dialFailed(fault: Error): void;
  /** What comes on a plain socket, instead of its `data` event; false: no more until it is resumed. */
  received(chunk: Buffer, socket: Socket): boolean;
  /** Of a TLS socket: a session that the next one can resume. */
  sessionOffered?(session: Buffer): void;
}

const TCP_KEEP_ALIVE_MS = 60_000;
/** The "connection attempt delay" of RFC 8305 §5, and the least that it allows. */
const NEXT_ADDRESS_MS = 250;
const NEXT_ADDRESS_MS_MIN = 10;

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('connect timed out');
  }
}

/** Begins to connect. Gives the way to call it off. */
export function dial(options: DialOptions): CallOff {
  const dialling = new Dialling(options);
  dialling.start();
  return () => dialling.callOff();
}

/** What a failure is that comes before a word was spoken. */
const SILENT: ReadonlySet<FailureReason> = new Set<FailureReason>(['connection_refused', 'connect_timeout']);

/** One address under way. */
interface Try {
  readonly target: Target;
  readonly forget: () => void;
}

class Dialling {
  readonly #options: DialOptions;
  readonly #left: Target[];
  readonly #pauseMs: number;
  readonly #open = new Map<Socket, Try>();
  readonly #faults: Error[] = [];
  #callOffNext: CallOff | undefined;
  #callOffDeadline: CallOff | undefined;
  #isOver = false;

  constructor(options: DialOptions) {
    this.#options = options;
    this.#left = addressesToTry(options.target);
    const share = options.timeoutMs / this.#left.length;
    this.#pauseMs = Math.max(NEXT_ADDRESS_MS_MIN, Math.min(NEXT_ADDRESS_MS, share));
  }

  start(): void {
    const { timers, timeoutMs } = this.#options;
    this.#callOffDeadline = timers.after(timeoutMs, () => this.#expire());
    this.#tryNext();
  }

  callOff(): void {
    this.#end();
  }

  #tryNext(): void {
    this.#callOffNext?.();
    const target = this.#left.shift();
    if (target === undefined) return;
    if (this.#left.length > 0) {
      this.#callOffNext = this.#options.timers.after(this.#pauseMs, () => this.#tryNext());
    }
    const socket = this.#connect(target);
    const onFault = (fault = new Error('connection was closed')): void => this.#noteFault(socket, fault);
    const onClose = (): void => onFault();
    const forget = (): void => void socket.off('error', onFault).off('close', onClose);
    this.#open.set(socket, { target, forget });
    socket.once(this.#options.tls === undefined ? 'connect' : 'secureConnect', () => this.#take(socket));
    socket.on('error', onFault);
    socket.once('close', onClose);
  }

  #connect({ ip: host, port }: Target): Socket {
    const { tls, owner } = this.#options;
    const settings = {
      host,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      allowHalfOpen: tls === undefined,
    };
    if (tls === undefined) {
      const socket: Socket = connectPlain({
        ...settings,
        onread: readThrough((chunk) => owner.received(chunk, socket)),
      });
      return socket;
    }
    const socket = connectTls({ ...settings, ...tls });
    if (owner.sessionOffered !== undefined)
      socket.on('session', (session) => owner.sessionOffered?.(session));
    return socket;
  }

  #take(socket: Socket): void {
    const open = this.#open.get(socket);
    if (this.#isOver || open === undefined) return;
    const { target, forget } = open;
    forget();
    this.#open.delete(socket);
    this.#end();
    target.isUnreachable = false;
    const { counters } = target;
    counters.countConnected();
    socket.once('close', () => counters.countDisconnected());
    this.#options.owner.connected(socket);
  }

  /** A socket that was dropped has nothing to say, but is heard until it is closed. */
  #noteFault(socket: Socket, fault: Error): void {
    const open = this.#open.get(socket);
    if (this.#isOver || open === undefined) return;
    this.#open.delete(socket);
    this.#faults.push(fault);
    open.target.isUnreachable = true;
    if (this.#left.length > 0) this.#tryNext();
    else if (this.#open.size === 0) this.#fail();
  }

  #expire(): void {
    for (const { target } of this.#open.values()) target.isUnreachable = true;
    this.#faults.push(new ConnectTimeout());
    this.#fail();
  }

  #fail(): void {
    this.#end();
    this.#options.owner.dialFailed(mostTelling(this.#faults));
  }

  #end(): void {
    this.#isOver = true;
    this.#callOffNext?.();
    this.#callOffDeadline?.();
    for (const socket of this.#open.keys()) socket.destroy();
    this.#open.clear();
  }
}

/** A certificate that is not valid says more than an address that nobody listens at. */
function mostTelling(faults: readonly Error[]): Error {
  const spoken = faults.find((fault) => !SILENT.has(failureReasonOf(fault)));
  return spoken ?? faults[0] ?? new Error('no address to connect to');
}

/**
 * All available addresses of a target's name, in the order in which they are tried: the target's own first,
 * the families in turn, and last those to which no connection came about the last time.
 */
function addressesToTry(target: Target): Target[] {
  const others = target.siblings.filter((sibling) => sibling !== target && sibling.isAvailable);
  if (others.length === 0) return [target];
  const same = others.filter(({ ip }) => isIPv6(ip) === isIPv6(target.ip));
  const other = others.filter(({ ip }) => isIPv6(ip) !== isIPv6(target.ip));
  const all = [target];
  for (let index = 0; index < others.length; index++) all.push(...pairAt(other, same, index));
  return [...all.filter(isReachable), ...all.filter((each) => !isReachable(each))];
}

function pairAt(first: readonly Target[], second: readonly Target[], index: number): Target[] {
  return [first[index], second[index]].filter((each) => each !== undefined);
}

function isReachable({ isUnreachable }: Target): boolean {
  return !isUnreachable;
}

/**
 * Reading without a buffer for each read. Hot path: what sockets read, one after the other, goes through one
 * piece of memory, and leaves it as a copy of its own size. (A socket of its own reads into 64 KiB and cuts
 * off what it did not need: for small parts, that costs more than all else.)
 */
const READ_BYTES = 65_536;

const BUFFER = Buffer.allocUnsafeSlow(READ_BYTES);

/** For a plain socket. `take` gives false to be asked no more until the socket is resumed. */
function readThrough(take: (chunk: Buffer) => boolean): OnReadOpts {
  return {
    buffer: BUFFER,
    callback: (length) => {
      const chunk = Buffer.allocUnsafe(length);
      BUFFER.copy(chunk, 0, 0, length);
      return take(chunk);
    },
  };
}
