import { countedText } from '#platform/foundation';
import { fundingWei, type Scenario } from '#load/scenario';

const WEI_AN_ETHER = 10n ** 18n;
const DECIMALS = 18;

/** The maximum cost of a run to the funder, as text, before the run begins. */
export function costText({ accounts, contracts }: Scenario): string {
  const { count, fund_wei: fundWei, budget_wei: budgetWei, reclaim } = accounts;
  if (fundWei === '0') return 'no funding: the accounts use their own balances';
  const sum = `${countedText(count, 'account')} × ${etherText(BigInt(fundWei))}`;
  const bound =
    budgetWei === undefined
      ? 'and the funding fees'
      : `at most ${etherText(BigInt(budgetWei))} including fees`;
  const back = reclaim ? '; the remainder is returned' : '; the remainder stays on the accounts';
  const setup = Object.keys(contracts).length === 0 ? '' : ', and what contracts and setup cost';
  return `funding: up to ${etherText(fundingWei(accounts))} from the funder (${sum}), ${bound}${setup}${back}`;
}

/** The exact amount in ETH, without trailing zeros. */
export function etherText(wei: bigint): string {
  const fraction = String(wei % WEI_AN_ETHER)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  return `${wei / WEI_AN_ETHER}${fraction === '' ? '' : `.${fraction}`} ETH`;
}
