import { describe, expect, it } from '@jest/globals';
import { readScenario } from './parse-scenario.ts';

const ADDRESS = `0x${'12'.repeat(20)}`;
const NFT = {
  bytecode: '0x6001',
  abi: [
    'constructor(uint256 max)',
    'function mint(address to, uint8 id)',
    'function name() view returns (string)',
  ],
  args: ['5'],
};
const MINT = { kind: 'call', weight: 1, contract: 'nft', function: 'mint', args: [{ account: 'self' }, 1] };
const TRANSFERS = [{ kind: 'transfer', weight: 1 }];

function faultsOf(more: object): readonly string[] {
  const { faults } = readScenario({
    name: 'x',
    target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
    accounts: { count: 10 },
    load: { stages: [{ duration: '1s', rate: 1 }] },
    contracts: { nft: NFT },
    mix: [MINT],
    ...more,
  });
  return faults.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('contracts in a scenario', () => {
  it('are accepted with computed arguments that fit', () => {
    const setup = [
      { name: 'label', contract: 'nft', function: 'name' },
      {
        from: 'accounts',
        contract: 'nft',
        function: 'mint',
        args: [{ account: 'next' }, { random: [0, 255] }],
      },
    ];
    const mix = [
      {
        ...MINT,
        args: [{ list: [ADDRESS, { account: 'random' }] }, { counter: { step: 2 } }],
        value_wei: '5',
      },
      {
        ...MINT,
        function: 'burn(uint256)',
        args: [{ result: { step: 'label' } }],
        gas_limit: 50_000,
        expect: 'reverted',
      },
    ];

    expect(faultsOf({ setup, mix })).toEqual([]);
  });

  it.each([
    [
      { contracts: { nft: { ...NFT, args: [] } } },
      'contracts.nft.args: expected 1 arguments (uint256 max), got 0',
    ],
    [
      { contracts: { nft: { ...NFT, args: ['x'] } } },
      'contracts.nft.args: expected arguments for (uint256 max)',
    ],
    [
      { contracts: { nft: { abi: [NFT.abi[1]] } } },
      'contracts.nft: expected one of artifact, bytecode and at',
    ],
    [
      { contracts: { nft: { ...NFT, at: ADDRESS } } },
      'contracts.nft: expected one of artifact, bytecode and at',
    ],
    [
      { contracts: { nft: { at: ADDRESS, args: [1] } }, mix: TRANSFERS },
      'contracts.nft: expected neither args nor value_wei',
    ],
    [
      { contracts: { nft: { artifact: 'a.json' } }, mix: TRANSFERS },
      'contracts.nft.artifact: expected bytecode and abi',
    ],
    [
      { contracts: { nft: { ...NFT, bytecode: '0x6' } } },
      'contracts.nft.bytecode: expected the creation code',
    ],
    [
      { contracts: { nft: { ...NFT, bytecode: `0x${'60'.repeat(98_305)}` } } },
      'contracts.nft.bytecode: expected',
    ],
    [{ contracts: { nft: { ...NFT, abi: ['functio x'] } } }, 'contracts.nft.abi.0: expected a declaration'],
    [{ contracts: { nft: { ...NFT, abi: [7] } } }, 'contracts.nft.abi: expected a list of declarations'],
    [{ contracts: { 'n-ft': NFT } }, 'contracts.n-ft: expected a name of letters'],
    [
      { contracts: { nft: { ...NFT, args: [{ contract: 'later' }] }, later: NFT } },
      'expected a contract that is created before, got later',
    ],
    [{ mix: [{ ...MINT, contract: 'other' }] }, 'mix.0.contract: expected a name of contracts, got other'],
    [{ mix: [{ ...MINT, function: 'burn' }] }, 'mix.0.function: expected a function of the ABI'],
    [{ mix: [{ kind: 'call', weight: 1 }] }, 'mix.0: expected contract and function'],
    [{ mix: [{ ...MINT, args: [{ account: 'self' }] }] }, 'mix.0.args: expected 2 arguments'],
    [
      { mix: [{ ...MINT, args: [{ account: 'self' }, { random: [0, 256] }] }] },
      'mix.0.args: expected arguments for',
    ],
    [
      { mix: [{ ...MINT, args: [{ account: 'self' }, { random: [2, 1] }] }] },
      'mix.0.args: expected random: [least, most]',
    ],
    [
      { mix: [{ ...MINT, args: [{ account: 'self' }, { list: [1, 2, 300] }] }] },
      'mix.0.args: expected arguments for',
    ],
    [
      { mix: [{ ...MINT, args: [{ account: 'me' }, 1] }] },
      'mix.0.args: expected account: self, next, random, or a number',
    ],
    [
      { mix: [{ ...MINT, args: [{ result: 'never' }, 1] }] },
      'expected a step of the setup that is executed before, got never',
    ],
    [{ mix: [{ ...MINT, args: [null, 1] }] }, 'mix.0.args: expected a list of arguments'],
    [
      { mix: [{ ...MINT, expect: 'reverted' }] },
      'mix.0.gas_limit: missing: a call that reverts cannot be estimated',
    ],
    [
      { mix: [{ kind: 'transfer', weight: 1, expect: 'reverted' }] },
      'mix.0.expect: only calls are expected to revert',
    ],
    [{ mix: [{ kind: 'transfer', weight: 1, args: [] }] }, 'mix.0.args: only call take it'],
    [
      { setup: [{ name: 'a', from: 'accounts', contract: 'nft', function: 'name' }] },
      'setup.0.name: only a call of the funder has one result',
    ],
    [
      { setup: [1, 2].map(() => ({ name: 'a', contract: 'nft', function: 'name' })) },
      'setup.1.name: expected another name',
    ],
  ])('are rejected: %j', (more, fault) => {
    expect(faultsOf(more)).toEqual([expect.stringContaining(fault)]);
  });
});
