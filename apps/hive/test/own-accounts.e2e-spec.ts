import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '#load/coordination';
import { addressOf, fromHex, toHex } from '#load/chain';
import {
  AccountKeys,
  DEVELOPMENT_FUNDER_KEY,
  fundAccounts,
  JsonRpc,
  type KeyKind,
  readBigInt,
} from '#load/worker';
import { runHive } from './support/built-hive.ts';
import { LoadSite } from './support/load-site.ts';

const ETHER = 10n ** 18n;
const COUNT = 4;
/** What may remain on all accounts after a return, and what their transactions may cost. */
const DUST = ETHER / 1_000n;
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const KEYS = Array.from({ length: COUNT }, (_, at) => `0x${Buffer.alloc(32, at + 17).toString('hex')}`);
const SECRETS: Readonly<Record<Exclude<KeyKind, 'seed'>, string>> = {
  mnemonic: MNEMONIC,
  keys: KEYS.join('\n'),
};
const SOURCES = { mnemonic: { mnemonic_env: 'OWN_WORDS' }, keys: { keys_env: 'OWN_KEYS' } } as const;

describe.each(['mnemonic', 'keys'] as const)('own accounts, given by %s', (kind) => {
  const addresses = Array.from({ length: COUNT }, (_, at) =>
    addressOf(new AccountKeys({ kind, text: SECRETS[kind] }).keyOf(at)),
  );
  let site: LoadSite;
  let rpc: JsonRpc;

  beforeAll(async () => {
    site = await LoadSite.startWith({ OWN_WORDS: MNEMONIC, OWN_KEYS: SECRETS.keys }, ['a', 'b']);
    rpc = new JsonRpc({ url: site.sequencer.rpcUrl, timeoutMs: 5_000 });
  });
  afterAll(async () => {
    await rpc.close();
    await site.close();
  });

  const scenario = (accounts: object): object => ({
    name: 'own',
    target: { chain_id: 412_346, rpc_urls: [site.sequencer.rpcUrl], feed_url: site.sequencer.feedUrl },
    accounts: { count: COUNT, ...SOURCES[kind], ...accounts },
    correlation: { timeout: '20s' },
    load: { stages: [{ duration: '500ms', rate: 20 }] },
  });

  async function run(accounts: object): Promise<RunView> {
    const { run_id: runId } = await site.hive.post<RunView>('/runs', scenario(accounts));
    return site.until(runId, () => false);
  }

  async function heldWei(): Promise<bigint> {
    const params = addresses.map((address) => [toHex(address), 'latest']);
    const balances = await rpc.callMany('eth_getBalance', params, readBigInt);
    return balances.reduce((sum, balance) => sum + balance, 0n);
  }

  /** The ether of the user, who asks for nothing else. */
  async function pay(): Promise<void> {
    await fundAccounts({
      target: {
        url: [site.sequencer.rpcUrl],
        sendUrl: [site.sequencer.rpcUrl],
        timeoutMs: 5_000,
        headers: {},
        chainId: 412_346,
        priorityFee: 0n,
      },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses,
      fundWei: ETHER,
    });
  }

  it('are funded, and return what remains to the funder, if the scenario says so', async () => {
    const ended = await run({ fund_wei: String(ETHER), reclaim: true });

    expect([ended.status, ended.oracle['balance']?.verdict, ended.oracle['nonce']?.verdict]).toEqual([
      'Completed',
      'pass',
      'pass',
    ]);
    expect(ended.progress.included).toBeGreaterThan(0);
    expect(ended.findings.map(({ code }) => code)).not.toContain('not_reclaimed');
    expect(await heldWei()).toBeLessThan(DUST);
  });

  it('keep their ether otherwise, and are not swept without being named', async () => {
    await pay();

    const ended = await run({});

    expect([ended.status, ended.oracle['balance']?.verdict]).toEqual(['Completed', 'pass']);
    const kept = await heldWei();
    expect(kept).toBeGreaterThan(BigInt(COUNT) * ETHER - DUST);
    const swept = await runHive('sweep', ended.run_id, '--data-dir', join(site.folder, 'data'));
    expect([swept.code, swept.stderr]).toEqual([2, expect.stringContaining('--own-accounts')]);
    expect(await heldWei()).toBe(kept);
  });

  it('stand in no record, report, reply or log', async () => {
    const ended = await run({});
    const base = `${site.hive.url}/runs/${ended.run_id}`;
    const replies = await Promise.all(
      [base, `${base}/report`, `${base}/report?format=html`, `${site.hive.url}/metrics`].map(async (url) =>
        (await fetch(url)).text(),
      ),
    );
    const files = await Promise.all(
      ['run.json', 'scenario.yaml'].map((name) =>
        readFile(join(site.folder, 'data', 'runs', ended.run_id, name), 'utf8'),
      ),
    );
    const logs = [site.hive, ...site.edges.values()].map(({ text }) => text);

    const shown = [...replies, ...files, ...logs].join('\n');
    for (const secret of [MNEMONIC, ...KEYS.map((key) => key.slice(2))]) expect(shown).not.toContain(secret);
  });

  it.each([
    [{ fund_wei: '1' }, 'accounts.reclaim: missing'],
    [{ seed_env: 'SEED' }, 'expected one of seed_env, mnemonic_env and keys_env'],
    [
      { fund_wei: '1', reclaim: true, keys_env: 'NO_SUCH', mnemonic_env: undefined },
      'the hive has no variable NO_SUCH',
    ],
    [
      { fund_wei: '1', reclaim: true, keys_env: 'OWN_WORDS', mnemonic_env: undefined },
      'accounts.keys_env: key 1 of the list: expected a private key',
    ],
    [
      { fund_wei: '1', reclaim: true, keys_env: undefined, mnemonic_env: 'OWN_KEYS' },
      'accounts.mnemonic_env: expected a mnemonic',
    ],
    [
      { fund_wei: '1', reclaim: true, keys_env: 'OWN_KEYS', mnemonic_env: undefined, count: COUNT + 1 },
      'expected accounts.count keys, 5, got 4',
    ],
  ])('are checked with the scenario: %j', async (accounts, message) => {
    const reply = await fetch(`${site.hive.url}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scenario(accounts)),
    });
    const text = await reply.text();

    expect([reply.status, text]).toEqual([400, expect.stringContaining(message)]);
    expect(text).not.toMatch(/legal winner|1111|sausage/);
  });
});

describe('own accounts on a chain without well-known keys', () => {
  const CHAIN = 7_777;
  let site: LoadSite;

  beforeAll(async () => {
    site = await LoadSite.startWith({ OWN_KEYS: SECRETS.keys }, ['a'], ['--chain-id', String(CHAIN)]);
    await fundAccounts({
      target: { url: site.sequencer.rpcUrl, timeoutMs: 5_000, chainId: CHAIN, priorityFee: 0n },
      funderKey: DEVELOPMENT_FUNDER_KEY,
      addresses: KEYS.map((key) => addressOf(fromHex(key))),
      fundWei: ETHER,
    });
  });
  afterAll(() => site.close());

  const scenario = (accounts: object): object => ({
    name: 'own',
    target: { chain_id: CHAIN, rpc_urls: [site.sequencer.rpcUrl], feed_url: site.sequencer.feedUrl },
    accounts: { count: COUNT, keys_env: 'OWN_KEYS', ...accounts },
    correlation: { timeout: '20s' },
    load: { stages: [{ duration: '500ms', rate: 20 }] },
  });

  it('need no funder where nothing is paid or returned, and are not swept without one', async () => {
    const { run_id: runId } = await site.hive.post<RunView>('/runs', scenario({}));
    const ended = await site.until(runId, () => false);

    expect([ended.status, ended.oracle['balance']?.verdict]).toEqual(['Completed', 'pass']);
    expect(ended.progress.included).toBeGreaterThan(0);
    const swept = await runHive('sweep', runId, '--own-accounts', '--data-dir', join(site.folder, 'data'));
    expect([swept.code, swept.stderr]).toEqual([2, expect.stringContaining('accounts.funder_key_env')]);
  });

  it.each([{ reclaim: true }, { fund_wei: '1', reclaim: false }])(
    'need one where money is: %j',
    async (accounts) => {
      const reply = await fetch(`${site.hive.url}/runs`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(scenario(accounts)),
      });

      expect([reply.status, await reply.text()]).toEqual([
        400,
        expect.stringContaining('accounts.funder_key_env: missing'),
      ]);
    },
  );
});
