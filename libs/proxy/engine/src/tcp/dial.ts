/**
 * Connects to a target by the addresses of its name (RFC 8305): its own first, and when that fails, or is not
 * connected after a quarter of a second, the others one after another, alternating IPv6 and IPv4. The first
 * established connection, including TLS, wins; the others are closed. One `connect_timeout` applies to all of
 * them together, because they start so close to each other.
 */
import { connect as connectPlain, isIPv6, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { CallOff, Timers } from '../cluster/target/cluster-context.ts';
import type { Target } from '../cluster/target/target.ts';
import { type FailureReason, failureReasonOf } from '../source/upstream-failure.ts';

export interface DialOptions {
  readonly target: Target;
  readonly timers: Timers;
  readonly timeoutMs: number;
  /** Undefined for plain text. */
  readonly tls: ConnectionOptions | undefined;
  readonly owner: DialOwner;
}

/** Receives one call of `connected` or `dialFailed`, unless the dial is cancelled. */
export interface DialOwner {
  connected(socket: Socket): void;
  dialFailed(fault: Error): void;
  /** Input of a plain socket, in place of its `data` event; false pauses the socket until it is resumed. */
  received(chunk: Buffer, socket: Socket): boolean;
  /** A TLS session that the next connection can resume. */
  sessionOffered?(session: Buffer): void;
}

const TCP_KEEP_ALIVE_MS = 60_000;
/** The "connection attempt delay" of RFC 8305 §5, and its minimum. */
const NEXT_ADDRESS_MS = 250;
const NEXT_ADDRESS_MS_MIN = 10;

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('connect timed out');
  }
}

/** Starts connecting. Returns a function that cancels it. */
export function dial(options: DialOptions): CallOff {
  const dialling = new Dialling(options);
  dialling.start();
  return () => dialling.callOff();
}

/** Failures before the peer has sent anything. */
const SILENT: ReadonlySet<FailureReason> = new Set<FailureReason>(['connection_refused', 'connect_timeout']);

/** An attempt for one address. */
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

  /** A closed socket may still emit errors until its close event. */
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
    this.#options.owner.dialFailed(mostSpecific(this.#faults));
  }

  #end(): void {
    this.#isOver = true;
    this.#callOffNext?.();
    this.#callOffDeadline?.();
    for (const socket of this.#open.keys()) socket.destroy();
    this.#open.clear();
  }
}

/** An invalid certificate is more informative than a refused address. */
function mostSpecific(faults: readonly Error[]): Error {
  const spoken = faults.find((fault) => !SILENT.has(failureReasonOf(fault)));
  return spoken ?? faults[0] ?? new Error('no address to connect to');
}

/**
 * All available addresses of a target's name, in the order of attempts: its own first, alternating families,
 * and last those whose previous connection failed.
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
 * Reads without a buffer for each read. Hot path: all sockets read into the same memory, and each chunk is
 * copied in its exact size. (A default socket allocates 64 KiB for each read and slices it: for small chunks
 * that costs more than all other work.)
 */
const READ_BYTES = 65_536;

const BUFFER = Buffer.allocUnsafeSlow(READ_BYTES);

/** Options that read a plain socket. `take` returns false to pause the socket. */
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
