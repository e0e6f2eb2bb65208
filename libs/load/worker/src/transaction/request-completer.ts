import { assert } from '#platform/foundation';
import type { Blueprint, Sending } from './blueprint.ts';
import type { ExpressLaneSender, LaneSlot } from './express-lane-sender.ts';
import type { CompleteRequest, SignedItem } from './open-transaction.ts';
import { conditionalEnd, conditionsText } from './request-form.ts';

/** Adds what depends on the moment of sending to the requests of the signing threads. */
export class RequestCompleter {
  readonly #blueprints: readonly Blueprint[];
  readonly #lane: ExpressLaneSender | undefined;

  /** Entries that use the express lane need it. */
  constructor(blueprints: readonly Blueprint[], lane: ExpressLaneSender | undefined) {
    this.#blueprints = blueprints;
    this.#lane = lane;
  }

  complete(signed: SignedItem, nowMs: number): CompleteRequest {
    const { body } = signed;
    const { sending } = this.#blueprints[signed.item.entry] ?? {};
    if (sending === undefined || sending.form.after !== null) return { body, nowMs, slot: undefined };
    const { end, slot } = this.#endOf(body, sending, nowMs);
    return { body: Buffer.concat([body, Buffer.from(end, 'latin1')]), nowMs, slot };
  }

  #endOf(
    body: Uint8Array,
    { way, conditions }: Sending,
    nowMs: number,
  ): { readonly end: string; readonly slot: LaneSlot | undefined } {
    if (way !== 'express_lane') {
      assert(conditions !== null, 'only relative conditions depend on the sending');
      return { end: conditionalEnd(conditions, nowMs), slot: undefined };
    }
    assert(this.#lane !== undefined, 'a run with the express lane has its sender');
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
    const raw = Buffer.from(text.slice(text.lastIndexOf('"0x') + '"0x'.length), 'hex');
    const options = conditions === null ? 'null' : conditionsText(conditions, nowMs);
    return this.#lane.submit(raw, { nowMs, conditions: options });
  }
}
