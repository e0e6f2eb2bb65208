import type { EventBuffer } from '#load/telemetry';
import { pause } from '#platform/foundation';
import type { AccountState } from '../funding/chain-view.ts';
import type { AddressBook } from '../plan/account-keys.ts';

const LOOK_AGAIN_MS = 5;

/**
 * Records what all accounts had at a block. Nothing is proved without these rows, so they wait for room
 * instead of being dropped.
 */
export async function recordBalances(
  events: EventBuffer,
  book: AddressBook,
  { at, block, accounts }: { at: 'start' | 'end'; block: number; accounts: readonly AccountState[] },
): Promise<void> {
  for (const [position, { balance, nonce, tokenUnits }] of accounts.entries()) {
    while (events.room === 0) await pause(LOOK_AGAIN_MS);
    const place = { account: book.at(position), at, block_number: block };
    events.record('balances', { ...place, balance_wei: balance, nonce, token_units: tokenUnits });
  }
}
