import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '#platform/foundation';
import type { PrepareOrder, RateOrder } from '../wire/edge-registration.ts';
import type {
  ClockProbeWire,
  EdgeMessageWire,
  HelloWire,
  HiveMessageWire,
} from '../generated/hive-messages.ts';
import type { PeerIdentity } from './peer-certificate.ts';
import { answerProbe, ClockProbing, isQuestion } from '../wire/clock-probing.ts';
import { heartbeatFromWire, progressFromWire, shortened } from '../wire/edge-wire.ts';
import { type DuplexCall, endCall, endOf, expectedHello, send } from './call-end.ts';
import type { EdgeChannel, EdgeGateway, EdgeListener } from './edge-gateway.port.ts';

export type ControlCall = DuplexCall<EdgeMessageWire, HiveMessageWire>;

/** Sends orders over an open control stream. */
class EdgeCallChannel implements EdgeChannel {
  readonly #call: ControlCall;
  readonly #peer: PeerIdentity | undefined;

  constructor(call: ControlCall, peer: PeerIdentity | undefined) {
    this.#call = call;
    this.#peer = peer;
  }

  prepare({ runId, revision, planJson, traceparent = '' }: PrepareOrder): void {
    this.say({ prepare: { runId, revision, planJson, traceparent } });
  }

  makeReady(runId: string, setupJson: string): void {
    this.say({ makeReady: { runId, setupJson } });
  }

  start(runId: string, startAtUs: number): void {
    this.say({ start: { runId, startAtUs } });
  }

  changeRate(changeRate: RateOrder): void {
    this.say({ changeRate });
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
    send(this.#call, message);
  }
}

const HELLO_MS_MAX = 10_000;
const PROBE_INTERVAL_MS = 2_000;

/** One control stream of an edge, from its hello to its end. */
export class ControlSession {
  readonly #call: ControlCall;
  readonly #gateway: EdgeGateway;
  readonly #peer: PeerIdentity | undefined;
  readonly #channel: EdgeCallChannel;
  readonly #probing = new ClockProbing();
  #listener: EdgeListener | undefined;

  constructor(call: ControlCall, gateway: EdgeGateway, peer: PeerIdentity | undefined) {
    this.#call = call;
    this.#gateway = gateway;
    this.#peer = peer;
    this.#channel = new EdgeCallChannel(call, peer);
  }

  /** Resolves when the stream is ended by either side. */
  async serve(): Promise<void> {
    const hello = setTimeout(() => {
      if (this.#listener === undefined) endCall(this.#call, expectedHello());
    }, HELLO_MS_MAX);
    const probes = setInterval(() => {
      if (this.#listener !== undefined && !this.#call.writableNeedDrain) this.#probe();
    }, PROBE_INTERVAL_MS);
    // For the actor who has opened the stream, whoever reads from it.
    const hear = AsyncLocalStorage.bind((message: EdgeMessageWire) => {
      this.#hear(message);
    });
    this.#call.on('data', hear);
    await endOf(this.#call);
    clearTimeout(hello);
    clearInterval(probes);
    this.#listener?.closed();
    this.#listener = undefined;
    endCall(this.#call);
  }

  #hear(message: EdgeMessageWire): void {
    try {
      if (message.hello !== undefined) this.#greet(message.hello);
      else if (this.#listener === undefined) throw expectedHello();
      else this.#pass(message, this.#listener);
    } catch (error) {
      endCall(this.#call, error);
      if (!(error instanceof DomainError)) throw error;
      const edgeId = message.hello?.edgeId ?? '';
      if (this.#listener === undefined) this.#gateway.refused({ edgeId, peer: this.#call.getPeer(), error });
    }
  }

  #greet(hello: HelloWire): void {
    if (this.#listener !== undefined) throw expectedHello();
    this.#peer?.assertIs(hello.edgeId, Date.now());
    this.#listener = this.#gateway.connect(this.#gateway.admit(hello), this.#channel);
    this.#probe();
  }

  #pass({ heartbeat, ack, nack, progress, clockProbe }: EdgeMessageWire, listener: EdgeListener): void {
    if (heartbeat !== undefined) listener.heartbeat(heartbeatFromWire(heartbeat));
    if (ack !== undefined) listener.acked(ack);
    if (nack !== undefined) listener.nacked(nack, nack.code.slice(0, 64), shortened(nack.reason));
    if (clockProbe !== undefined) this.#onProbe(clockProbe, listener);
    const known = progress === undefined ? undefined : progressFromWire(progress);
    if (known !== undefined) listener.progressed(known);
  }

  #onProbe(probe: ClockProbeWire, listener: EdgeListener): void {
    if (isQuestion(probe)) {
      this.#channel.say({ clockProbe: answerProbe(probe) });
      return;
    }
    const best = this.#probing.accept(probe);
    if (best !== undefined) listener.clock(best);
  }

  #probe(): void {
    this.#channel.say({ clockProbe: this.#probing.ask() });
  }
}
