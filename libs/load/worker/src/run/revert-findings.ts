import { toHex } from '#load/chain';
import { countedText } from '#platform/foundation';
import { reasonOfFailed } from '../funding/revert-reason.ts';
import type { EntryReverts } from '../ledger/revert-log.ts';
import type { Payload } from '../transaction/blueprint.ts';
import type { Load } from './load.ts';
import type { LoadTarget } from './load-target.ts';

/** Why calls of an entry of the mix reverted. */
export interface RevertFinding {
  readonly text: string;
  /** The entry with its limit; undefined unless one unexpectedly ran out of gas. */
  readonly outOfGas: string | undefined;
}

/** For each entry of the mix the reasons of its first reverted transactions. */
export async function revertFindings(load: Load, target: LoadTarget): Promise<readonly RevertFinding[]> {
  return Promise.all(load.ledger.reverts.entries.map((reverts) => findingOf(reverts, load, target)));
}

async function findingOf(
  { entry, count, samples }: EntryReverts,
  load: Load,
  target: LoadTarget,
): Promise<RevertFinding> {
  const { mix, contracts = [] } = target.plan;
  const { kind, call, expect } = mix[entry] ?? {};
  const errors = contracts.find(({ name }) => name === call?.contract)?.errors ?? [];
  const reasons = await Promise.all(
    samples.map(({ open, blockNumber }) => {
      const { item, hash } = open.signed;
      const { gasLimit, payload } = load.sentAs(item);
      const sent = { from: toHex(load.addressOf(item.position)), gasLimit, ...hexOf(payload) };
      return reasonOfFailed(target.rpc, { hash: toHex(hash), blockNumber, ...sent }, errors);
    }),
  );
  const what = call === undefined ? String(kind) : `${call.contract}.${nameOf(call.declaration)}`;
  const texts = new Set(reasons.map(({ text }) => text));
  const ranOut = reasons.find(({ isOutOfGas }) => isOutOfGas);
  return {
    text: `mix.${entry} ${what}, ${countedText(count, 'time')}: ${Array.from(texts).join('; ')}`,
    outOfGas: ranOut && expect !== 'reverted' ? `mix.${entry} ${what}, ${ranOut.text}` : undefined,
  };
}

function nameOf(declaration: string): string {
  return /^function\s+([\w$]+)/.exec(declaration)?.[1] ?? '';
}

function hexOf({ to, data, value }: Payload): { to: string | null; data: string; value: bigint } {
  return { to: to === null ? null : toHex(to), data: toHex(data), value };
}
