import type { ServerDuplexStream } from '@grpc/grpc-js';
import { DomainError } from '#platform/foundation';
import { grpcFailureOf } from '../wire/grpc-failure.ts';

/** A two-way call as the server has it. */
export type DuplexCall<In, Out> = ServerDuplexStream<In, Out>;

/** Whether there is still somebody at the other end. */
export function isOpen<In, Out>(call: DuplexCall<In, Out>): boolean {
  return !call.cancelled && !call.destroyed && !call.writableEnded;
}

/** Resolves when the other end has said all, or is gone. */
export function endOf<In, Out>(call: DuplexCall<In, Out>): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'cancelled', 'error', 'close']) call.once(event, () => resolve());
  });
}

/** Each side's messages have it. */
const FINAL: object = { final: { code: '', reason: '' } };

/** Ends the call: in good order, or with what went wrong. */
export function endCall<In, Out extends object>(call: DuplexCall<In, Out>, error?: unknown): void {
  if (!isOpen(call)) return;
  if (error === undefined) {
    call.write(FINAL as Out);
    call.end();
    return;
  }
  call.emit('error', grpcFailureOf(error));
}

/** What an edge must have done first. */
export function expectedHello(): DomainError {
  return new DomainError('INVALID_REQUEST', 'expected hello as the first message, once');
}
