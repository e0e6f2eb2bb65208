import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '#load/report';
import { type CommandRun, followHive, runHive } from './support/built-hive.ts';
import { HiveProgram, type Program, SequencerProgram, startEdge } from './support/programs.ts';

const CONTRACTS = fileURLToPath(new URL('../../../samples/contracts/', import.meta.url));
const artifact = (name: string): string => join(CONTRACTS, `${name}.json`);
const MINTABLE = { artifact: artifact('Mintable'), args: ['x', '1000000'], sends_ether: 'never' };
const STORE = { artifact: artifact('StorageWriter') };
const MINT = { kind: 'call', weight: 1, contract: 'nft', function: 'mint' };

/** The first call writes one slot: 1; each later one writes two: its key, and the complement of that. */
const GROWING = [
  '601b600c600039601b6000f3', // return the 27 bytes after these 12
  '600154600c57', // jump to 12 if slot 1 is not 0
  '600160015500', // slot 1 = 1; stop
  '5b6001600435556001600435195500', // slot key = 1; slot ~key = 1; stop
].join('');

interface Ran extends CommandRun {
  readonly report: Report;
}

describe('a load of contract calls on the EVM of the development sequencer', () => {
  let folder = '';
  let sequencer: SequencerProgram;
  let hive: HiveProgram;
  let edge: Program;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-contracts-'));
    sequencer = await SequencerProgram.start('--mode', 'anvil', '--block-ms', '100');
    hive = await HiveProgram.start(join(folder, 'data'));
    edge = startEdge({ edgeId: 'a', folder, hiveAddress: hive.grpcAddress });
    await edge.said(/"event":"hive.connected"/);
  }, 60_000);

  afterAll(async () => {
    await Promise.all([edge, hive, sequencer].map((program) => program.end('SIGKILL')));
    await rm(folder, { recursive: true });
  });

  const scenario = (more: object): object => ({
    name: 'contracts',
    target: { chain_id: 412_346, rpc_urls: [sequencer.rpcUrl], feed_url: sequencer.feedUrl },
    accounts: { count: 10 },
    load: { stages: [{ duration: '2s', rate: 20 }], arrival: 'uniform', random_seed: 7 },
    thresholds: [{ metric: 'achieved_rate_ratio', min: 0 }],
    ...more,
  });

  async function run(more: object): Promise<Ran> {
    const file = join(folder, 'scenario.json');
    await writeFile(file, JSON.stringify(scenario(more)));
    const ran = await runHive('run', file, '--wait', '--url', hive.url);
    const { runs } = await hive.json<{ runs: { run_id: string }[] }>('/runs');
    const id = runs[0]?.run_id ?? '';
    const reply = await fetch(`${hive.url}/runs/${id}/report`);
    return { ...ran, report: (reply.ok ? await reply.json() : {}) as Report };
  }

  const verdictsOf = ({ oracle }: Report): unknown =>
    Object.fromEntries(Object.entries(oracle).map(([check, { verdict }]) => [check, verdict]));

  const revertsOf = ({ findings }: Report): readonly string[] =>
    findings.flatMap(({ code, message }) => (code === 'calls_reverted' ? [message] : []));

  it('creates contracts, executes the setup, and calls with computed arguments', async () => {
    const { code, stdout, stderr, report } = await run({
      contracts: {
        nft: MINTABLE,
        pool: {
          artifact: artifact('SwapPool'),
          args: ['1000000', '2000000', { contract: 'nft' }],
          sends_ether: 'never',
        },
      },
      setup: [{ name: 'reserves', contract: 'pool', function: 'deposit', args: ['5', '7'] }],
      mix: [
        { ...MINT, args: [{ account: 'next' }, { counter: {} }] },
        {
          kind: 'call',
          weight: 1,
          contract: 'pool',
          function: 'swap',
          args: [{ list: [true, false] }, { random: [1, 99] }, 0],
        },
        { kind: 'transfer', weight: 1 },
      ],
    });

    expect([stdout + stderr, verdictsOf(report)]).toEqual([
      expect.stringContaining('every promise checked'),
      { nonce: 'pass', balance: 'pass', gas: 'pass' },
    ]);
    expect(report.summary).toMatchObject({ planned: 40, included: report.summary.sent, reverted: 0 });
    expect(report.setup.map(({ what, result }) => [what, result])).toEqual([
      ['contracts.nft', null],
      ['contracts.pool', null],
      ['setup.0 pool.deposit(uint256,uint256)', ['1000005', '2000007']],
    ]);
    const nft = report.setup[0]?.address;
    const supply = await sequencer.call<string>('eth_call', { to: nft, data: '0x047fc9aa' }, 'latest');
    const minted = report.kinds.find(({ kind }) => kind === 'call')?.included ?? 0;
    expect(Number(supply)).toBeGreaterThan(0);
    expect(Number(supply)).toBeLessThan(minted);
    expect(code).toBe(0);
  });

  it('executes every type of transaction, with access lists and authorizations', async () => {
    const slot = `0x${'00'.repeat(32)}`;
    const access_list = [{ address: 'store', storage_keys: [slot] }];
    const { code, stdout, stderr, report } = await run({
      contracts: { store: { ...STORE, sends_ether: 'never' } },
      mix: [
        { kind: 'transfer', weight: 1, type: 0 },
        { kind: 'transfer', weight: 1, type: 1, access_list, send: 'sync' },
        { kind: 'call', weight: 1, contract: 'store', function: 'deposit', value_wei: '1', access_list },
        { kind: 'transfer', weight: 1, type: 4, delegate_to: 'store', authorizations: 2 },
      ],
    });

    expect([stdout + stderr, verdictsOf(report)]).toEqual([
      expect.stringContaining('every promise checked'),
      { nonce: 'pass', balance: 'pass', gas: 'pass' },
    ]);
    expect(report.ways.map(({ way, type }) => [way, type])).toEqual([
      ['raw', 0],
      ['raw', 2],
      ['raw', 4],
      ['sync', 1],
    ]);
    expect(code).toBe(0);
  });

  it('calls once from each account before the load, which then holds what it did', async () => {
    const { code, report } = await run({
      contracts: { store: { ...STORE, sends_ether: 'never' } },
      setup: [{ from: 'accounts', contract: 'store', function: 'deposit', value_wei: '9' }],
      mix: [{ kind: 'transfer', weight: 1 }],
    });

    const held = await sequencer.call<string>('eth_getBalance', report.setup[0]?.address, 'latest');
    expect([code, Number(held)]).toEqual([0, 90]);
    expect(verdictsOf(report)).toEqual({ nonce: 'pass', balance: 'pass', gas: 'pass' });
  });

  it('runs an imported scenario of Contender', async () => {
    const { bytecode } = JSON.parse(await readFile(artifact('Mintable'), 'utf8')) as { bytecode: string };
    const text = [
      `[[create]]\nname = "Nft"\nbytecode = "${bytecode}"\nsignature = "(string name_, uint256 max)"\nargs = ["x", "1000000"]`,
      '[[spam]]\n[spam.tx]\nto = "{Nft}"\nsignature = "mint(address to, uint256 tokenId)"\nargs = ["{_sender}", "1"]',
      'fuzz = [{ param = "tokenId", min = "1", max = "100000000000000000000" }]',
    ].join('\n');
    await writeFile(join(folder, 'nft.toml'), text);
    const imported = await runHive('import', 'contender', join(folder, 'nft.toml'));
    const file = join(folder, 'nft.yaml');
    await writeFile(file, imported.stdout);

    const sets = Object.entries({
      'target.rpc_urls.0': sequencer.rpcUrl,
      'target.feed_url': sequencer.feedUrl,
      'load.stages.0.duration': '1s',
    }).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
    const { code, stdout } = await runHive('run', file, '--wait', '--url', hive.url, ...sets);

    expect([imported.stderr, code, stdout]).toEqual([
      '',
      0,
      expect.stringContaining('every promise checked'),
    ]);
  });

  it('counts expected reverts as no failure, and names their reason', async () => {
    const { code, report } = await run({
      contracts: { nft: { ...MINTABLE, args: ['x', 0] } },
      mix: [{ ...MINT, args: [{ account: 'self' }, 1], gas_limit: 200_000, expect: 'reverted' }],
    });

    expect([code, report.verdict.state, verdictsOf(report)]).toEqual([
      0,
      'held',
      { nonce: 'pass', balance: 'pass', gas: 'pass' },
    ]);
    const times = `mix.0 nft.mint, ${report.summary.sent} times: SoldOut("0")`;
    expect(revertsOf(report)).toEqual([expect.stringContaining(times)]);
  });

  it('reports unexpected reverts, and calls that run out of gas, with their reasons', async () => {
    const { code, report } = await run({
      contracts: { nft: { ...MINTABLE, args: ['x', 1] }, store: STORE },
      mix: [
        { ...MINT, args: [{ account: 'self' }, 1], gas_limit: 200_000 },
        {
          kind: 'call',
          weight: 1,
          contract: 'store',
          function: 'write',
          args: [0, 50, { counter: {} }],
          gas_limit: 60_000,
        },
      ],
    });

    expect(code).toBe(10);
    expect(report.summary.reverted).toBe(report.summary.sent - 1);
    expect(verdictsOf(report)).toMatchObject({ nonce: 'pass', gas: 'pass' });
    const [message] = revertsOf(report);
    expect(message).toMatch(/mix\.0 nft\.mint, \d+ times?: (?:SoldOut\("1"\)|AlreadyMinted\("1"\))/);
    expect(message).toMatch(/mix\.1 store\.write, \d+ times?: out of gas: its limit was 60,\d+/);
    expect(report.findings).toContainEqual({
      code: 'out_of_gas',
      edge_id: 'a',
      message: expect.stringMatching(
        /fees\.gas_limit.*mix\.1 store\.write, out of gas: its limit was 60,\d+/,
      ),
    });
    expect(report.verdict.reasons.map((reason) => reason.code)).toContain('out_of_gas');
  });

  it('gives calls enough gas that cost more than at their estimate', async () => {
    const { code, report } = await run({
      contracts: {
        growing: { abi: ['function touch(uint256 key)'], bytecode: GROWING, sends_ether: 'never' },
      },
      mix: [
        {
          kind: 'call',
          weight: 1,
          contract: 'growing',
          function: 'touch',
          args: [{ counter: { start: 2 } }],
        },
      ],
    });

    expect([report.summary.reverted, report.verdict.state, code]).toEqual([0, 'held', 0]);
  });

  it('leaves balances inconclusive that a contract may have paid', async () => {
    const { code, report } = await run({
      contracts: { store: STORE },
      mix: [
        { kind: 'call', weight: 3, contract: 'store', function: 'deposit', value_wei: '5' },
        { kind: 'call', weight: 1, contract: 'store', function: 'withdraw', gas_limit: 100_000 },
      ],
    });

    expect([code, verdictsOf(report)]).toEqual([12, { nonce: 'pass', balance: 'inconclusive', gas: 'pass' }]);
    expect(report.oracle.balance?.gaps.map(({ reason }) => reason)).toEqual(['unknown_value_flow']);
  });

  it('convicts a balance that a contract cannot explain by the word of the scenario', async () => {
    const { code, report } = await run({
      contracts: { store: { ...STORE, sends_ether: 'never' } },
      mix: [
        { kind: 'call', weight: 3, contract: 'store', function: 'deposit', value_wei: '5' },
        { kind: 'call', weight: 1, contract: 'store', function: 'withdraw', gas_limit: 100_000 },
      ],
    });

    expect([code, verdictsOf(report)]).toEqual([11, { nonce: 'pass', balance: 'fail', gas: 'pass' }]);
  });

  it.each([
    [
      'a constructor that reverts',
      { pool: { artifact: artifact('SwapPool'), args: [0, 0, `0x${'0'.repeat(40)}`] } },
      [],
      'contracts.pool: its constructor reverts: Error("reserves must not be empty")',
    ],
    [
      'a setup that reverts',
      { nft: { ...MINTABLE, args: ['x', 0] } },
      [{ contract: 'nft', function: 'mint', args: [{ account: 'self' }, 1] }],
      'setup.0 nft.mint(address,uint256) reverts: SoldOut("0")',
    ],
    [
      'a setup that runs out of gas',
      { nft: MINTABLE },
      [{ contract: 'nft', function: 'mint', args: [{ account: 'self' }, 1], gas_limit: 30_000 }],
      'setup.0 nft.mint(address,uint256) reverted: ',
    ],
    [
      'a constructor without end',
      { nft: { bytecode: '0x5b600056' } },
      [],
      'contracts.nft: its constructor: eth_estimateGas: gas_too_low: ',
    ],
    ['code that creates nothing', { nft: { bytecode: '0x00' } }, [], 'contracts.nft: expected code at 0x'],
  ])('ends before the load with %s', async (_name, contracts, setup, reason) => {
    const { code, report, stdout, stderr } = await run({
      contracts,
      setup,
      mix: [{ kind: 'transfer', weight: 1 }],
    });

    expect([code, report.reason, stdout + stderr]).toEqual([1, 'setup_failed', expect.anything()]);
    expect(report.findings).toEqual([
      { code: 'setup_failed', edge_id: null, message: expect.stringContaining(reason) },
    ]);
    expect(report.summary.sent).toBe(0);
  });

  it('waits while the address of a given contract has no code', async () => {
    const file = join(folder, 'at.json');
    const at = '0x00000000000000000000000000000000000000aa';
    const mix = [{ ...MINT, function: 'mint(address,uint256)', args: [{ account: 'self' }, 1] }];
    await writeFile(file, JSON.stringify(scenario({ contracts: { nft: { at } }, mix })));

    const command = followHive('run', file, '--wait', '--start-timeout', '10m', '--url', hive.url);
    await command.told(new RegExp(`contract_missing, contracts\\.nft: expected code at ${at}`));
    command.child.kill('SIGTERM');

    expect((await command.ended).code).toBe(1);
  });

  it('stops before a payment for contracts beyond the budget', async () => {
    const budget = String(10n ** 19n + 10n ** 17n);
    const { report } = await run({
      accounts: { count: 10, budget_wei: budget },
      contracts: { store: STORE },
      setup: [{ contract: 'store', function: 'deposit', value_wei: String(10n ** 18n) }],
      mix: [{ kind: 'transfer', weight: 1 }],
    });

    expect(report.reason).toBe('funding_failed');
    expect(report.findings[0]?.message).toContain(`expected at most accounts.budget_wei, ${budget}`);
  });

  it('does not read files of its own for a client', async () => {
    const reply = await fetch(`${hive.url}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scenario({ contracts: { nft: MINTABLE } })),
    });

    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining(
        'contracts.nft.artifact: expected bytecode and abi: only `plexus-hive run` reads files',
      ),
    ]);
  });

  it('names a missing artefact, and one without code', async () => {
    const file = join(folder, 'scenario.json');
    const texts: string[] = [];
    await writeFile(join(folder, 'interface.json'), '{"abi":[],"bytecode":"0x"}');
    for (const name of ['nowhere.json', 'interface.json', 'scenario.json']) {
      await writeFile(file, JSON.stringify(scenario({ contracts: { nft: { artifact: name } } })));
      texts.push((await runHive('run', file, '--url', hive.url)).stderr);
    }

    expect(texts).toEqual([
      expect.stringContaining('nowhere.json: no such file'),
      expect.stringContaining('interfaces and abstract contracts cannot be created'),
      expect.stringContaining('expected a compiled contract with an abi'),
    ]);
    expect(await readFile(file, 'utf8')).toContain('nft');
  });
});
