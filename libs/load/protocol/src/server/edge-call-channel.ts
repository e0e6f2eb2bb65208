import { DomainError } from '#platform/foundation';
import type { PrepareOrder } from '../edge/prepare-order.ts';
import type { EdgeMessageWire, HiveMessageWire } from '../proto/hive-messages.ts';
import type { PeerIdentity } from '../tls/peer-certificate.ts';
import { type DuplexCall, endCall, isOpen } from './call-end.ts';
import type { EdgeChannel } from './edge-gateway.port.ts';

export type ControlCall = DuplexCall<EdgeMessageWire, HiveMessageWire>;

/** Orders over an open control stream. */
export class EdgeCallChannel implements EdgeChannel {
  readonly #call: ControlCall;
  readonly #peer: PeerIdentity | undefined;

  constructor(call: ControlCall, peer: PeerIdentity | undefined) {
    this.#call = call;
    this.#peer = peer;
  }

  prepare({ runId, revision, planJson }: PrepareOrder): void {
    this.say({ prepare: { runId, revision, planJson } });
  }

  makeReady(runId: string): void {
    this.say({ makeReady: { runId } });
  }

  start(runId: string, startAtUs: number): void {
    this.say({ start: { runId, startAtUs } });
  }

  stop(runId: string, isAbort: boolean, reason: string): void {
    this.say({ stop: { runId, abort: isAbort, reason } });
  }

  evict(reason: string): void {
    this.say({ evict: { reason } });
    endCall(this.#call, new DomainError('EDGE_EVICTED', reason));
  }

  close(reason: string): void {
    endCall(this.#call, new DomainError('STORE_UNAVAILABLE', reason));
  }

  certificateFault(): string | undefined {
    return this.#peer?.faultAt(Date.now());
  }

  say(message: HiveMessageWire): void {
    if (isOpen(this.#call)) this.#call.write(message);
  }
}
