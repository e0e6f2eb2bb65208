/** What `debug_traceTransaction` tells of accounts, in the form that geth, Nitro, anvil and Erigon share. */
import { readBigInt } from '#load/worker';
import { DomainError } from '#platform/foundation';

/** Accounts before and after the transaction, as far as it changed them. */
export const PRESTATE_TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as const;

type Members = Readonly<Partial<Record<string, unknown>>>;

/** Wei that the transaction brought the account, or took from it. Throws WIRE_FORMAT for what is no trace. */
export function balanceChange(trace: unknown, account: string): bigint {
  const { pre, post } = membersOf(trace);
  const before = balanceIn(pre, account) ?? 0n;
  // What did not change is left out.
  return (balanceIn(post, account) ?? before) - before;
}

function balanceIn(states: unknown, account: string): bigint | undefined {
  const found = Object.entries(membersOf(states)).find(([address]) => address.toLowerCase() === account);
  const { balance } = found === undefined ? {} : membersOf(found[1]);
  return balance === undefined ? undefined : readBigInt(balance);
}

function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new DomainError('WIRE_FORMAT', 'expected accounts before and after a transaction');
}
