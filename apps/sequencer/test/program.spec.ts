/** The built program. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { runProgram } from '#platform/cli';
import { sequencerProgram } from '../src/cli/program.ts';
import { ReadySequencer, runSequencer } from './support/built-sequencer.ts';
import { FeedReader } from './support/feed-reader.ts';
import { RpcClient } from './support/rpc-client.ts';
import { TestWallet } from './support/test-wallet.ts';

let running: ReadySequencer | undefined;
afterEach(() => {
  running?.child.kill('SIGKILL');
  running = undefined;
});

describe('plexus-sequencer --mode sim', () => {
  it('prints its addresses in one line, sequences, logs its faults and exits on SIGTERM', async () => {
    running = await ReadySequencer.start([
      '--mode',
      'sim',
      '--chain-id',
      '4242',
      '--fault',
      'mint_wei_every=1',
    ]);
    const rpc = new RpcClient(running.rpcPort);
    const feed = await FeedReader.open(running.feedPort);
    const signed = TestWallet.rich().sign({ chainId: 4_242 });

    expect(await rpc.call('eth_sendRawTransaction', signed.raw)).toBe(signed.hash);
    await feed.until(({ hashes }) => hashes.includes(signed.hash));
    expect(await running.end('SIGTERM')).toBe(0);
    expect(running.log.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 30,
        time: expect.any(String),
        event: 'sequencer.fault',
        fault: 'mint_wei_every',
        hash: signed.hash,
        account: TestWallet.rich().hex,
        nonce: 0,
        block_number: 1,
        msg: 'fault injected',
      },
    ]);
  });

  it('exits on SIGTERM with waiting senders and connected readers', async () => {
    running = await ReadySequencer.start(['--mode', 'sim', '--block-ms', '60000']);
    const rpc = new RpcClient(running.rpcPort);
    const feed = await FeedReader.open(running.feedPort);
    const wallet = TestWallet.rich();
    await rpc.call('eth_sendRawTransaction', wallet.sign().raw);
    const waiting = rpc.call('eth_sendRawTransaction', wallet.sign().raw).then(
      () => 'answered',
      () => 'failed',
    );
    await rpc.call('eth_chainId');

    expect(await running.end('SIGTERM')).toBe(0);
    expect(await waiting).toBe('failed');
    await feed.closed;
  });

  it('fails if its port is in use', async () => {
    running = await ReadySequencer.start(['--mode', 'sim']);

    const { code, stderr } = await runSequencer(['--mode', 'sim', '--rpc-port', String(running.rpcPort)]);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^plexus-sequencer: listen EADDRINUSE/);
  });
});

describe('plexus-sequencer', () => {
  it.each([
    [['--mode', 'real'], /Allowed choices are anvil, sim/],
    [['--block-ms', '1'], /--block-ms: expected a whole number from 10 to 60000/],
    [['--mode', 'sim', '--fault', 'mint_wei=1'], /unknown fault mint_wei/],
    [['--mode', 'anvil', '--fault', 'hang_every=1'], /--fault requires --mode sim/],
    [['sim'], /too many arguments/],
  ])('rejects %j', async (args, reason) => {
    const said: string[] = [];
    const keep = (text: unknown): boolean => said.push(String(text)) > 0;
    const spies = [
      jest.spyOn(process.stderr, 'write').mockImplementation(keep),
      jest.spyOn(console, 'error').mockImplementation(keep),
    ];

    const code = await runProgram(sequencerProgram(), args);

    for (const spy of spies) spy.mockRestore();
    expect(code).toBe(2);
    expect(said.join('')).toMatch(reason);
  });
});
