import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Readable, Writable } from 'node:stream';
import { DomainError } from '#platform/foundation';
import { grpcFailureOf } from '../wire/grpc-failure.ts';

/** The server side of a bidirectional call. */
export type DuplexCall<In, Out> = ServerDuplexStream<In, Out>;

/** The part of a call that sending needs. */
type AnyDuplex = Readable & Writable & { readonly cancelled: boolean };

/** Whether the call can still be written to. */
export function isOpen(call: AnyDuplex): boolean {
  return !call.cancelled && !call.destroyed && !call.writableEnded;
}

/**
 * Sends a message if the call is open. While the client does not read, no more of its messages are read:
 * their answers would fill the memory.
 */
export function send(call: AnyDuplex, message: object): void {
  if (!isOpen(call) || call.write(message) || call.isPaused()) return;
  call.pause();
  call.once('drain', () => call.resume());
}

/** Resolves when the client has ended its stream or is disconnected. */
export function endOf<In, Out>(call: DuplexCall<In, Out>): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'cancelled', 'error', 'close']) call.once(event, () => resolve());
  });
}

/** The final message, which the message types of both sides contain. */
const FINAL: object = { final: { code: '', reason: '' } };

/** Ends the call, regularly or with an error. */
export function endCall<In, Out extends object>(call: DuplexCall<In, Out>, error?: unknown): void {
  if (!isOpen(call)) return;
  if (error === undefined) {
    call.write(FINAL as Out);
    call.end();
    return;
  }
  call.emit('error', grpcFailureOf(error));
}

/** The error for a missing or repeated hello. */
export function expectedHello(): DomainError {
  return new DomainError('INVALID_REQUEST', 'expected hello as the first message, once');
}
