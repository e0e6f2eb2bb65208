import type { Check } from './violation.ts';

/** What a pass of a check proves, and what it cannot see: shown beside it wherever a verdict is. */
export interface CheckLimits {
  readonly proves: string;
  readonly cannotSee: string;
}

export const CHECK_LIMITS: Readonly<Record<Check, CheckLimits>> = {
  nonce: {
    proves:
      'each transaction of the run’s accounts was executed once, at one place, in the order of its nonces; the ' +
      'state’s nonce agrees; and every feed message that came tells what its block holds: its hash where it ' +
      'carries one, its transactions, their order, each once in the whole run, signed where target.feed_signer ' +
      'names the signer. Without a feed: the same of blocks alone',
    cannotSee:
      'accounts that are not the run’s; whether a message that never came told of a transaction once more; who ' +
      'signs the feed, unless target.feed_signer names the signer',
  },
  balance: {
    proves:
      'each account’s money, and its units of the load’s ERC-20 token, between two pinned blocks is, to the last ' +
      'one, what its receipts moved: value out and in, gas used × effective price',
    cannotSee:
      'what appears and vanishes again between the two; other accounts; whether state and receipts that agree ' +
      'are both made up',
  },
  gas: {
    proves:
      'no receipt used more than its limit or less than 21,000; gasUsedForL1 is within gasUsed; the price is the ' +
      'block’s base fee, with the tip where tips are paid, up to the cap, exactly; the receipts of a block add up ' +
      'to its gas, stand where they say, and deployments name their contract',
    cannotSee:
      'whether the gas of an execution, or the base fee of a block, is itself right: that would take a second ' +
      'execution',
  },
};
