/** The built program over a real EVM node; skipped with a message if there is none. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers';
import { toHex } from '#load/chain';
import { findAnvil } from '../src/anvil/anvil-binary.ts';
import { ReadySequencer } from './support/built-sequencer.ts';
import { FeedReader } from './support/feed-reader.ts';
import { RpcClient } from './support/rpc-client.ts';
import { TestWallet } from './support/test-wallet.ts';
import { describeUnless } from '#testing';

/** Anvil's second development account, for which anvil signs. */
const SECOND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

/** Init code of a contract that returns 42 for every call. */
const ANSWER_CODE = '0x600a600c600039600a6000f3602a60005260206000f3';

function anvilMissing(): string | undefined {
  try {
    findAnvil(process.env);
    return undefined;
  } catch {
    return 'there is no anvil on this machine';
  }
}

/** The shell and anvil processes of the sequencer with this process id. */
function descendantsOf(pid: number): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const children = (parent: string): string[] =>
    rows.filter(([, ppid]) => ppid === parent).flatMap(([child = '']) => [child, ...children(child)]);
  return children(String(pid));
}

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

/** Resolves when all of them have exited. */
async function untilGone(pids: readonly string[]): Promise<void> {
  while (pids.some(isAlive)) await new Promise(setImmediate);
}

describeUnless(anvilMissing())('plexus-sequencer --mode anvil', () => {
  let running: ReadySequencer;
  let rpc: RpcClient;
  let feed: FeedReader;
  beforeAll(async () => {
    running = await ReadySequencer.start(['--mode', 'anvil', '--block-ms', '100']);
    rpc = new RpcClient(running.rpcPort);
    feed = await FeedReader.open(running.feedPort);
  });
  afterAll(async () => {
    feed.close();
    await running.end('SIGTERM');
  });

  it('is a separate chain with a funded development account', async () => {
    expect(await rpc.count('eth_chainId')).toBe(412_346n);
    expect(await rpc.count('eth_getBalance', TestWallet.rich().hex, '0x0')).toBe(10n ** 24n);
  });

  it('sends a message for each block, from the first one on, under its number', async () => {
    await feed.until(({ numbers }) => numbers.length >= 3);

    const blocks = await Promise.all(
      [0, 1, 2].map((number) =>
        rpc.call<Record<string, string>>('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
      ),
    );
    expect(feed.numbers.slice(0, 3)).toEqual([0, 1, 2]);
    expect(feed.messages.slice(0, 3).map(({ blockHash }) => blockHash)).toEqual(
      blocks.map((block) => block['hash']),
    );
  });

  it('sends transactions in the order of their blocks, with the original signed bytes', async () => {
    const wallet = TestWallet.rich();
    const sent = Array.from({ length: 20 }, () => wallet.sign());

    for (const { raw } of sent) await rpc.call('eth_sendRawTransaction', raw);

    const hashes = sent.map(({ hash }) => hash);
    await feed.until((reader) => hashes.every((hash) => reader.hashes.includes(hash)));
    expect(feed.hashes.filter((hash) => hashes.includes(hash))).toEqual(hashes);
  });

  it('sends transactions that were not submitted as signed bytes', async () => {
    const hash = await rpc.call<string>('eth_sendTransaction', { from: SECOND, to: SECOND, value: '0x1' });

    const { hashes } = await feed.until((reader) => reader.hashes.includes(hash));

    expect(hashes.filter((other) => other === hash)).toEqual([hash]);
  });

  it('executes contracts', async () => {
    const provider = new JsonRpcProvider(rpc.url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
    const wallet = new Wallet(KEY, provider);
    const factory = new ContractFactory(['function ask() view returns (uint256)'], ANSWER_CODE, wallet);

    const deployed = await factory.deploy();
    await deployed.waitForDeployment();
    const contract = new Contract(await deployed.getAddress(), factory.interface, provider);

    expect(await contract.getFunction('ask')()).toBe(42n);
    provider.destroy();
  });

  it('forwards anvil’s errors of invalid requests', async () => {
    expect((await rpc.reply('eth_sendRawTransaction', toHex(Buffer.from('02c0', 'hex')))).error?.code).toBe(
      -32_602,
    );
    expect(await rpc.post('{oops')).toMatchObject({ text: expect.stringContaining('-32600') });
    expect((await fetch(rpc.url)).status).toBe(405);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'ends anvil on %s',
    async (signal) => {
      const other = await ReadySequencer.start(['--mode', 'anvil']);
      const children = descendantsOf(other.child.pid ?? NaN);

      const code = await other.end(signal);

      await untilGone(children);
      expect(children.length).toBeGreaterThan(1);
      expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    },
    30_000,
  );

  it('fails if anvil exits on its own', async () => {
    const other = await ReadySequencer.start(['--mode', 'anvil']);
    const closed = once(other.child, 'close');
    const anvil = descendantsOf(other.child.pid ?? NaN).filter((pid) => nameOf(pid) === 'anvil');

    for (const pid of anvil) process.kill(Number(pid), 'SIGKILL');

    expect(await closed).toEqual([1, null]);
    expect(other.log.join('\n')).toMatch(/anvil exited unexpectedly/);
  });
});

function nameOf(pid: string): string {
  return execFileSync('ps', ['-o', 'comm=', '-p', pid], { encoding: 'utf8' }).trim();
}

describe('the search for anvil', () => {
  it('reports the searched places, and what works without anvil', () => {
    expect(() => findAnvil({ PATH: '/nowhere' }, '')).toThrow(
      /optional package .* ANVIL_BIN.* PATH.*--mode sim/,
    );
    expect(() => findAnvil({ ANVIL_BIN: '/nowhere/anvil' })).toThrow(
      'expected a program, got /nowhere/anvil',
    );
  });

  it('uses ANVIL_BIN, else the optional package, else the PATH', () => {
    expect(findAnvil({ ANVIL_BIN: process.execPath, PATH: '' }, '/bin/sh')).toBe(process.execPath);
    expect(findAnvil({ PATH: '' }, '/bin/sh')).toBe('/bin/sh');
  });
});
