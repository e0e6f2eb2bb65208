import { describe, expect, it } from '@jest/globals';
import { importContender } from './import-contender.ts';
import { parseScenario } from './parse-scenario.ts';

const TEXT = `
[env]
supply = "1000"
[[create]]
name = "Token"
bytecode = "0x6001"
signature = "(string memory name_, uint256 supply_)"
args = ["T", "{supply}"]
[[create]]
name = "Market"
bytecode = "0x6002"
signature = "(address token)"
args = ["{Token}"]
[[setup]]
kind = "deposit"
to = "{Market}"
from_pool = "admin"
signature = "function deposit()"
value = "1.5 eth"
[[setup]]
to = "{Token}"
from_pool = "spammer"
for_all_accounts = true
signature = "approve(address spender, uint256 amount) returns (bool)"
args = ["{Market}", "{supply}"]
[[spam]]
[spam.tx]
kind = "swap"
to = "{Market}"
from_pool = "spammer"
signature = "swap(address who, uint256 amount, bool exact)"
args = ["{_sender}", "5", "true"]
fuzz = [{ param = "amount", min = "1", max = "0xff" }, { value = true }]
gas_limit = 200000
[[spam]]
[spam.tx]
to = "{_sender}"
value = "5 gwei"
[[spam]]
[spam.tx]
to = "0x1212121212121212121212121212121212121212"
signature = "poke()"
[[spam]]
[spam.bundle]
[[spam.bundle.tx]]
to = "{Market}"
signature = "poke()"
`;

const NESTED_TEXT = `
[env]
slot = "0x${'0'.repeat(63)}1"
[[create]]
name = "A"
bytecode = "0x6001"
[[spam]]
[spam.tx]
to = "{A}"
signature = "swap((address token, address to, uint256[] amounts, string note) path, uint256 amount)"
args = ["({A}, {_sender}, [1,2], \\"a,b\\")", "0"]
fuzz = [{ param = "amount", min = "1", max = "7" }]
[[spam]]
[spam.tx]
to = "{A}"
signature = "poke(uint256 first)"
args = ["0"]
fuzz = [{ param = "first", min = "0", max = "9" }]
[[spam.tx.access_list]]
address = "{A}"
storageKeys = ["{slot}"]
[[spam]]
[spam.tx]
to = "{A}"
signature = "poke(uint256[] second)"
args = ["[]"]
`;

describe('the import of a scenario of Contender', () => {
  const { document, notes } = importContender(TEXT, 'dir/market.toml');

  it('gives a scenario that is valid once it has a target, accounts and load', () => {
    const scenario = parseScenario({
      ...document,
      target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
      accounts: { count: 10 },
      load: { stages: [{ duration: '1s', rate: 1 }] },
    });

    expect(scenario.name).toBe('market');
    expect(scenario.contracts['Token']?.args).toEqual(['T', '1000']);
    expect(scenario.contracts['Market']?.args).toEqual([{ contract: 'Token' }]);
    expect(scenario.setup).toMatchObject([
      { contract: 'Market', function: 'deposit()', from: 'funder', value_wei: '1500000000000000000' },
      {
        contract: 'Token',
        function: 'approve(address,uint256)',
        from: 'accounts',
        args: [{ contract: 'Market' }, '1000'],
      },
    ]);
    expect(scenario.mix).toMatchObject([
      {
        kind: 'call',
        function: 'swap(address,uint256,bool)',
        args: [{ account: 'self' }, { random: ['1', '255'] }, true],
        gas_limit: 200_000,
      },
      { kind: 'transfer', to: 'ring', value_wei: '5000000000' },
      { kind: 'call', contract: 'at_12121212', function: 'poke()' },
    ]);
  });

  it('names what it leaves out', () => {
    expect(notes).toEqual([
      'spam.0.fuzz: random amounts of ether are left out: the value is fixed',
      'spam.2: calls an existing contract, 0x1212121212121212121212121212121212121212',
      'spam.3: bundles are left out: their transactions would be sent one by one',
    ]);
  });

  it('names the pools whose transactions come from the same accounts', () => {
    const spam = (pool: string): string =>
      `[[spam]]\n[spam.tx]\nto = "{_sender}"\nvalue = "1"\nfrom_pool = "${pool}"\n`;

    expect(importContender(spam('red') + spam('red'), 'one.toml').notes).toEqual([]);
    expect(importContender(spam('red') + spam('blue'), 'two.toml').notes).toEqual([
      'spam: sent by the same accounts, not by the pools red, blue',
    ]);
  });

  it('refuses a scenario of which nothing can be sent, and says why', () => {
    const text = '[[spam]]\n[spam.tx]\nto = "{_sender}"\nblob_data = "0x00"\n';

    expect(() => importContender(text, 'blobs.toml')).toThrow(
      'blobs.toml: expected a scenario of which something can be sent\n  spam.0: left out: a transaction with blob',
    );
  });

  it('reads lists and structs in texts, overloads, and access lists', () => {
    const { document: made, notes: said } = importContender(NESTED_TEXT, 'nested.toml');
    const scenario = parseScenario({
      ...made,
      target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
      accounts: { count: 10 },
      load: { stages: [{ duration: '1s', rate: 1 }] },
    });

    expect(said).toEqual([]);
    expect(scenario.mix.map(({ args }) => args)).toEqual([
      [[{ contract: 'A' }, { account: 'self' }, ['1', '2'], 'a,b'], { random: ['1', '7'] }],
      [{ random: ['0', '9'] }],
      [[]],
    ]);
    expect(scenario.mix[1]?.access_list).toEqual([{ address: 'A', storage_keys: [`0x${'0'.repeat(63)}1`] }]);
  });

  it('keeps contracts apart whose addresses begin alike, and joins one in two spellings', () => {
    const [seaport, conduit] = [
      '0x00000000000000ADc04C56Bf30aC9d3c0aAF14dC',
      `0x00000000F9${'49'.repeat(15)}`,
    ];
    const calls = [seaport, conduit, seaport.toLowerCase(), conduit];
    const text = calls.map((to) => `[[spam]]\n[spam.tx]\nto="${to}"\nsignature="f()"\n`).join('');

    const { document: made } = importContender(text, 'f.toml');

    const { contracts, mix } = made as {
      contracts: Record<string, { at: string }>;
      mix: { contract: string }[];
    };
    expect(mix.map(({ contract }) => contracts[contract]?.at)).toEqual([seaport, conduit, seaport, conduit]);
  });

  it.each([
    ['a = 1', 'expected a scenario of Contender'],
    ['[[create', 'f.toml:1:'],
    ['env = 3\nspam = 4', 'expected a scenario of which something can be sent'],
    ['[spam]\nrate = 1\n[[spam.mix]]\nscenario = "erc20"', 'got a campaign'],
    [
      '[[create]]\nname="A"\nbytecode="0x00"\n[[spam]]\n[spam.tx]\nto="{A}"\nsignature="("',
      'spam.0.signature: expected',
    ],
  ])('rejects %j', (text, message) => {
    expect(() => importContender(text, 'f.toml')).toThrow(message);
  });

  it.each([
    ['[[create]]\nname="A b"\nbytecode="0x00"', 'create.0: left out: expected a name'],
    ['[[create]]\nname="A"\nbytecode="0x{B}"', 'create.0: left out: bytecode with placeholders'],
    ['[[spam]]\n[spam.tx]\nto="{Nobody}"\nsignature="f()"', 'spam.0: left out: expected a contract as to'],
    ['[[spam]]\n[spam.tx]\nto="{Nobody}"', 'spam.0: left out: expected a signature, or an address'],
    [
      '[[spam]]\n[spam.tx]\nto="{_sender}"\nblob_data="f00d"',
      'spam.0: left out: a transaction with blob_data',
    ],
    [
      '[[create]]\nname="A"\nbytecode="0x6001"\n[[spam]]\n[spam.tx]\nto="{A}"\nsignature="f()"\nallow_revert=true',
      'spam.0: its reverts count as failures',
    ],
    ['[[spam]]\nmore = 1', 'spam.0: left out: expected a tx'],
    ['[[spam]]\n[spam.tx]\nto="{_sender}"\ngas_limit=90000', 'spam.0.gas_limit: left out'],
    ['[[spam]]\n[spam.tx]\nto="{_sender}"\nfuzz=[{value=true}]', 'spam.0.fuzz: left out'],
    [
      '[[spam]]\n[spam.tx]\nto="{_sender}"\nfrom="0x12"',
      'spam.0: sent by the accounts of the run, not by 0x12',
    ],
    [
      '[[create]]\nname="A"\nbytecode="0x6001"\n[[spam]]\n[spam.tx]\nto="{A}"\nsignature="f(string s)"\nargs=["{toString}"]',
      'spam.0: the placeholder in {toString} is not replaced',
    ],
  ])('notes what has no equivalent in %j', (text, note) => {
    const sendable = '\n[[spam]]\n[spam.tx]\nto="{_sender}"\n';

    expect(importContender(text + sendable, 'f.toml').notes[0]).toContain(note);
  });
});
