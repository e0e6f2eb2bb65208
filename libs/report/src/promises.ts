import type { Check } from '#oracle';

/** What each check looks for. */
export const PROMISES: Readonly<Record<Check, string>> = {
  nonce: 'each account’s transactions come once, in the order of their nonces',
  balance: 'each account’s money is, to the wei, what its transactions made of it',
  gas: 'no receipt uses more gas than its limit, nor pays more than its cap',
};

/** What a pass of each cannot tell; it stands beside the verdict. */
export const LIMITS: Readonly<Record<Check, string>> = {
  nonce:
    'cannot see accounts that are not the run’s, nor, where no target.feed_signer is named, who signed the feed',
  balance:
    'cannot see money that appears and vanishes again between the two pinned blocks, nor accounts that are ' +
    'not the run’s',
  gas: 'cannot see whether the gas of an execution is right: that would take a second execution',
};
