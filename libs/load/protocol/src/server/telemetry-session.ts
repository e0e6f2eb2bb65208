import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '#platform/foundation';
import type { EdgeRegistration } from '../wire/edge-registration.ts';
import type {
  BatchAckWire,
  BatchWire,
  HelloWire,
  TelemetryMessageWire,
  TelemetryReplyWire,
} from '../generated/hive-messages.ts';
import type { PeerIdentity } from './peer-certificate.ts';
import { type DuplexCall, endCall, endOf, expectedHello, send } from './call-end.ts';
import type { EdgeGateway } from './edge-gateway.port.ts';

export type TelemetryCall = DuplexCall<TelemetryMessageWire, TelemetryReplyWire>;

/**
 * One telemetry stream of an edge. The credit limits the batches in flight: a stream that exceeds it is
 * closed with an error.
 */
export class TelemetrySession {
  readonly #call: TelemetryCall;
  readonly #gateway: EdgeGateway;
  readonly #peer: PeerIdentity | undefined;
  #edge: EdgeRegistration | undefined;
  #credit = 0;
  #underWay = 0;

  constructor(call: TelemetryCall, gateway: EdgeGateway, peer: PeerIdentity | undefined) {
    this.#call = call;
    this.#gateway = gateway;
    this.#peer = peer;
  }

  /** Resolves when the stream is ended by either side. */
  async serve(): Promise<void> {
    // For the actor who has opened the stream, whoever reads from it.
    const hear = AsyncLocalStorage.bind((message: TelemetryMessageWire) => {
      this.#hear(message);
    });
    this.#call.on('data', hear);
    await endOf(this.#call);
    endCall(this.#call);
  }

  #hear({ hello, batch }: TelemetryMessageWire): void {
    try {
      if (hello !== undefined) this.#greet(hello);
      if (batch !== undefined) this.#receive(batch);
    } catch (error) {
      endCall(this.#call, error);
      if (!(error instanceof DomainError)) throw error;
      const edgeId = this.#edge?.edgeId ?? hello?.edgeId ?? '';
      this.#gateway.refused({ edgeId, peer: this.#call.getPeer(), error });
    }
  }

  #greet(hello: HelloWire): void {
    if (this.#edge !== undefined) throw expectedHello();
    this.#peer?.assertIs(hello.edgeId, Date.now());
    this.#edge = this.#gateway.admit(hello);
    this.#credit = this.#gateway.batchCredit;
    this.#say({ credit: { batches: this.#credit } });
  }

  #receive(batch: BatchWire): void {
    if (this.#edge === undefined) throw expectedHello();
    if (this.#underWay >= this.#credit) {
      throw new DomainError('TOO_BUSY', `expected at most ${this.#credit} batches in flight`);
    }
    // The id may have a newer registration: batches of an evicted edge are rejected.
    const edge = this.#gateway.admit(this.#edge);
    this.#underWay++;
    void this.#receiveBatch(edge, batch);
  }

  async #receiveBatch(edge: EdgeRegistration, batch: BatchWire): Promise<void> {
    const { runId, seq } = batch;
    try {
      await this.#gateway.receiveBatch(edge, batch);
      this.#acknowledge({ runId, seq, refused: '' });
    } catch (error) {
      if (error instanceof DomainError) this.#acknowledge({ runId, seq, refused: error.code });
      else endCall(this.#call, error);
    }
  }

  #acknowledge(ack: BatchAckWire): void {
    this.#underWay--;
    this.#say({ ack });
  }

  #say(message: TelemetryReplyWire): void {
    send(this.#call, message);
  }
}
