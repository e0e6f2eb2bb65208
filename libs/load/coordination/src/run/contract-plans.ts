import { ContractAbi } from '#load/chain';
import type { Scenario } from '#load/scenario';
import type { ContractSource, EdgePlan } from '#load/worker';

type Mix = EdgePlan['mix'][number];

/** An entry of the mix in an edge's plan. The scenario's check has found every function. */
export function mixEntry(entry: Scenario['mix'][number], { contracts }: Scenario): Mix {
  const { kind, weight, to, value_wei: valueWei, bytes, expect, gas_limit: gasLimit } = entry;
  const { contract = '', function: called = '', args = [] } = entry;
  const declaration = (): string => abiOf(contracts[contract]).function(called).declaration;
  const call = kind === 'call' ? { contract, declaration: declaration(), args } : undefined;
  return { kind, weight, to, valueWei, bytes, expect, gasLimit, call, sending: sendingPlan(entry) };
}

function sendingPlan(entry: Scenario['mix'][number]): Mix['sending'] {
  const { type = 2, access_list: accessList = [], send: way = 'raw', sync_timeout_ms: timeoutMs } = entry;
  const { delegate_to: to, authorizations: count = 1, conditions } = entry;
  return {
    type,
    way,
    timeoutMs,
    accessList: accessList.map(({ address, storage_keys: storageKeys }) => ({ address, storageKeys })),
    delegation: to === undefined ? undefined : { to, count },
    conditions: conditions && {
      blockNumberMin: conditions.block_number_min,
      blockNumberMax: conditions.block_number_max,
      timestampMin: conditions.timestamp_min,
      timestampMax: conditions.timestamp_max,
      knownAccounts: conditions.known_accounts,
    },
  };
}

/** An edge's share of the reads. */
export function readPlans({ reads, contracts }: Scenario, edges: number): EdgePlan['reads'] {
  return reads.map(({ name, kind, rate, contract, function: called, args, blocks, method, params }) => {
    const abi = abiOf(contract === undefined ? undefined : contracts[contract]);
    const declaration =
      kind === 'call' && called !== undefined ? abi.function(called).declaration : undefined;
    return { name, kind, rate: rate / edges, contract, declaration, args: args ?? params, blocks, method };
  });
}

/** Edges share the numbers of a round, so that only a single one can use them in order. */
export function expressLanePlan({ timeboost }: Scenario, edges: number): EdgePlan['expressLane'] {
  return (
    timeboost && {
      auctionContract: timeboost.auction_contract,
      controllerKeyEnv: timeboost.controller_key_env,
      sequence: edges > 1 ? 'any' : timeboost.sequence,
    }
  );
}

/** What an edge must know of the contracts: not their code. */
export function contractPlans({ contracts }: Scenario): NonNullable<EdgePlan['contracts']> {
  return Object.entries(contracts).map(([name, contract]) => {
    return { name, at: contract.at, errors: abiOf(contract).errors };
  });
}

/** What creates the contracts. */
export function contractSources({ contracts }: Scenario): readonly ContractSource[] {
  return Object.entries(contracts).map(([name, contract]) => {
    const { args, value_wei: valueWei, bytecode, at } = contract;
    return { name, abi: abiOf(contract), args, valueWei, bytecode, at };
  });
}

/** Whether a called contract may send ether to accounts, as far as the scenario states. */
export function mayBePaid({ mix, contracts }: Scenario): boolean {
  return mix.some(({ contract = '' }) => contracts[contract]?.sends_ether === 'unknown');
}

function abiOf(contract: Scenario['contracts'][string] | undefined): ContractAbi {
  return new ContractAbi(contract?.abi ?? []);
}
