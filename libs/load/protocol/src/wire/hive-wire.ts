/** What the hive says, as protocol buffers give it. */
import type { PrepareOrder } from '../edge/prepare-order.ts';
import type { ClockProbeWire, FinalWire } from './edge-wire.ts';

export interface RunWire {
  readonly runId: string;
}

export interface StartWire extends RunWire {
  readonly startAtUs: number;
}

export interface StopWire extends RunWire {
  readonly abort: boolean;
  readonly reason: string;
}

export interface EvictWire {
  readonly reason: string;
}

/** One field is there; `message` names it in what was received. */
export interface HiveMessageWire {
  readonly message?: string;
  readonly prepare?: PrepareOrder;
  readonly makeReady?: RunWire;
  readonly start?: StartWire;
  readonly stop?: StopWire;
  readonly evict?: EvictWire;
  readonly clockProbe?: ClockProbeWire;
  readonly final?: FinalWire;
}

export interface BatchAckWire {
  readonly runId: string;
  readonly seq: number;
  readonly refused: string;
}

export interface CreditWire {
  readonly batches: number;
}

export interface TelemetryReplyWire {
  readonly message?: string;
  readonly ack?: BatchAckWire;
  readonly credit?: CreditWire;
  readonly final?: FinalWire;
}
