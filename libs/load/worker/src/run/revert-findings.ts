import { toHex } from '#load/chain';
import { countedText } from '#platform/foundation';
import { reasonOfFailed } from '../funding/revert-reason.ts';
import type { EntryReverts } from '../ledger/revert-log.ts';
import type { Payload } from '../transaction/blueprint.ts';
import type { Load } from './load.ts';
import type { LoadTarget } from './load-target.ts';

/** Why calls reverted: for each entry of the mix the reasons of its first reverted transactions. */
export async function revertTexts(load: Load, target: LoadTarget): Promise<readonly string[]> {
  return Promise.all(load.ledger.reverts.entries.map((reverts) => textOf(reverts, load, target)));
}

async function textOf(
  { entry, count, samples }: EntryReverts,
  load: Load,
  target: LoadTarget,
): Promise<string> {
  const { mix, contracts = [] } = target.plan;
  const { kind, call } = mix[entry] ?? {};
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
  return `mix.${entry} ${what}, ${countedText(count, 'time')}: ${[...new Set(reasons)].join('; ')}`;
}

function nameOf(declaration: string): string {
  return /^function\s+([\w$]+)/.exec(declaration)?.[1] ?? '';
}

function hexOf({ to, data, value }: Payload): { to: string | null; data: string; value: bigint } {
  return { to: to === null ? null : toHex(to), data: toHex(data), value };
}
