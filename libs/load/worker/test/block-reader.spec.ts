import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '#load/chain';
import { MicroClock } from '#platform/foundation';
import { Story } from '#testing';
import { JsonRpc } from '../src/rpc/json-rpc.ts';
import { BlockReader, type ReaderPatience } from '../src/settlement/block-reader.ts';
import { type BlockReceipts, ReceiptReader } from '../src/settlement/block-receipts.ts';
import { GAS, OTHER, OWN, ScriptedChain, type ScriptedBlock } from './support/scripted-chain.ts';

interface Reported {
  readonly what: 'block' | 'replaced' | 'deep' | 'unread' | 'trouble' | 'fallback';
  readonly number: number;
  readonly block?: BlockReceipts;
  readonly message?: string;
}

const ALARM = { creation: GAS, plain: GAS, contracts: new Map<string, number>() };

const HASTY = { missingMs: 0, faultsMs: 0 };
const PATIENT = { missingMs: 600_000, faultsMs: 600_000 };

type Receipt = Record<string, unknown>;
const changed = (block: ScriptedBlock, at: number, change: Receipt): Partial<ScriptedBlock> => ({
  receipts: (block.receipts as Receipt[]).map((one, index) => (index === at ? { ...one, ...change } : one)),
});

describe('BlockReader', () => {
  let chain: ScriptedChain;
  let rpc: JsonRpc;
  let reader: BlockReader;
  let story: Story<Reported>;

  beforeEach(async () => {
    chain = await ScriptedChain.start();
    rpc = new JsonRpc({ url: chain.rpc.url, timeoutMs: 5_000 });
    story = new Story();
    reader = reading(HASTY);
  });
  afterEach(async () => {
    reader.close();
    await rpc.close();
    await chain.stop();
  });

  const reading = (patience: ReaderPatience): BlockReader =>
    new BlockReader({
      rpc,
      patience,
      receipts: new ReceiptReader(new Map([[OWN, 0]]), ALARM),
      clock: new MicroClock(),
      start: { number: 0, hash: fromHex(String(chain.blocks[0]?.header['hash'])) },
      pollMs: 5,
      troubleMs: 5,
      listener: {
        onBlock: (block) => story.record({ what: 'block', number: block.blockNumber, block }),
        onReplaced: (number) => story.record({ what: 'replaced', number }),
        onDeep: (number) => story.record({ what: 'deep', number }),
        onUnread: (number, message) => story.record({ what: 'unread', number, message }),
        onFallback: ({ message }) => story.record({ what: 'fallback', number: -1, message }),
        onTrouble: ({ message }) => story.record({ what: 'trouble', number: -1, message }),
      },
    });

  const blockAt = async (number: number): Promise<BlockReceipts | undefined> =>
    (await story.until((one) => one.what === 'block' && one.number === number)).block;
  const lines = (): readonly string[] => story.entries.map(({ what, number }) => `${what} ${number}`);

  it('reads each block once, in order, with all its transactions and our receipts', async () => {
    chain.add(OWN, OTHER, OWN);
    chain.add();
    reader.open();

    const first = await blockAt(1);
    await blockAt(2);

    expect(lines()).toEqual(['block 1', 'block 2']);
    expect(first).toMatchObject({ baseFee: 7n, faults: [], incoming: [] });
    expect(first?.txHashes).toHaveLength(3 * 32);
    expect([...(first?.indexes ?? [])]).toEqual([0, 2]);
  });

  it('reports the senders of payments to our accounts', async () => {
    chain.add(OTHER);
    chain.falsify((block) => changed(block, 0, { to: OWN }));
    reader.open();

    const block = await blockAt(1);

    expect(block?.incoming).toMatchObject([{ position: 0 }]);
    expect(block?.positions).toHaveLength(0);
  });

  it.each<[string, (block: ScriptedBlock) => Partial<ScriptedBlock>]>([
    ['malformed_receipt', (block) => changed(block, 1, { effectiveGasPrice: 'cheap' })],
    ['malformed_receipt', (block) => ({ receipts: [...(block.receipts as Receipt[]).slice(0, 1), 'none'] })],
    ['block_gas_sum', (block) => ({ header: { ...block.header, gasUsed: '0x1' } })],
    ['cumulative_gas', (block) => changed(block, 0, { cumulativeGasUsed: '0x1' })],
    ['receipt_place', (block) => changed(block, 1, { blockNumber: '0x9' })],
    ['receipt_place', (block) => changed(block, 1, { blockHash: `0x${'77'.repeat(32)}` })],
    ['receipt_place', (block) => changed(block, 1, { transactionHash: `0x${'77'.repeat(32)}` })],
    [
      'receipt_count',
      (block) => ({ receipts: [...(block.receipts as Receipt[]), (block.receipts as Receipt[])[0]] }),
    ],
  ])('reports %s, and continues', async (kind, lie) => {
    chain.add(OWN, OWN);
    chain.falsify(lie);
    chain.add(OWN);
    reader.open();

    const block = await blockAt(1);
    await blockAt(2);

    expect(block?.faults.map((fault) => fault.kind)).toContain(kind);
    expect(block?.positions.length).toBeGreaterThan(0);
  });

  it('names the transaction of an invalid receipt, and the error class', async () => {
    chain.add(OWN);
    chain.falsify((block) => changed(block, 0, { gasUsed: 5 }));
    reader.open();

    const [fault] = (await blockAt(1))?.faults ?? [];

    expect(toHex(fault?.hash ?? new Uint8Array())).toBe(chain.blocks[1]?.transactions[0]?.['hash']);
    expect(fault?.position).toBe(0);
    expect(fault?.observed).toContain('rpc_garbage');
  });

  it('follows a reorganisation back to the fork, and continues from there', async () => {
    for (let more = 0; more < 4; more++) chain.add(OWN);
    reader.open();
    await blockAt(4);

    chain.reorganise(3);
    chain.add(OWN);
    await blockAt(5);

    expect(lines()).toEqual([
      ...['block 1', 'block 2', 'block 3', 'block 4'],
      ...['replaced 4', 'replaced 3', 'replaced 2'],
      ...['block 2', 'block 3', 'block 4', 'block 5'],
    ]);
  });

  it('detects a replaced last block before the next block', async () => {
    chain.add(OWN);
    reader.open();
    await blockAt(1);

    chain.reorganise(1);
    await story.until(({ what }) => what === 'block', 2);

    expect(lines()).toEqual(['block 1', 'replaced 1', 'block 1']);
  });

  it('reports a reorganisation that reaches behind the start', async () => {
    chain.add(OWN);
    reader.open();
    await blockAt(1);

    chain.reorganise(2);
    await story.until(({ what }) => what === 'block', 2);

    expect(lines()).toEqual(['block 1', 'replaced 1', 'replaced 0', 'deep 0', 'block 1']);
  });

  it('gives up and reports a chain with unconnected blocks', async () => {
    chain.add(OWN);
    chain.falsify((block) => ({ header: { ...block.header, parentHash: `0x${'77'.repeat(32)}` } }));
    reader.open();

    await blockAt(1);

    expect(lines()).toEqual(['deep 1', 'block 1']);
  });

  it('skips an invalid block after several attempts, and reports the reason', async () => {
    chain.add(OWN);
    chain.falsify(() => ({ receipts: 'none' }));
    chain.add(OWN);
    reader.open();

    const unread = await story.until(({ what }) => what === 'unread');
    await blockAt(2);

    expect(unread.number).toBe(1);
    expect(unread.message).toContain('a list of receipts');
  });

  it.each<[string, boolean, (receipts: unknown) => unknown]>([
    ['an empty list', true, () => []],
    ['a short list', true, (receipts) => (receipts as Receipt[]).slice(0, 1)],
    ['nothing', true, () => null],
    [
      'receipts of another block',
      true,
      (receipts) => (receipts as Receipt[]).map((one) => ({ ...one, blockHash: `0x${'77'.repeat(32)}` })),
    ],
    ['a malformed receipt', true, (receipts) => [...(receipts as Receipt[]).slice(1), 'none']],
    ['no single receipts', false, () => null],
  ])('reads a block again after %s', async (_, hasWholeBlocks, early) => {
    reader = reading(PATIENT);
    chain.hasWholeBlocks = hasWholeBlocks;
    chain.add(OWN, OWN);
    chain.add(OWN);
    let answers = 0;
    chain.receiptsNow = (receipts) => (++answers <= 6 ? early(receipts) : receipts);
    reader.open();

    const block = await blockAt(1);
    await blockAt(2);

    expect(block).toMatchObject({ faults: [], missing: 0 });
    expect(block?.positions).toHaveLength(2);
    expect(lines().filter((line) => line.startsWith('block'))).toEqual(['block 1', 'block 2']);
  });

  it('takes a block with missing receipts as it is when it is hurried, and reports no fault', async () => {
    reader = reading(PATIENT);
    chain.add(OWN, OWN);
    chain.receiptsNow = (receipts) => (receipts as Receipt[]).slice(0, 1);
    reader.open();
    reader.hurry();

    const block = await blockAt(1);

    expect(block).toMatchObject({ faults: [], missing: 1 });
    expect(block?.positions).toHaveLength(1);
  });

  it('requests single receipts if the RPC forbids whole blocks by HTTP status 403', async () => {
    chain.forbidden = 'eth_getBlockReceipts';
    chain.add(OWN, OTHER);
    reader.open();

    const block = await blockAt(1);

    expect(block).toMatchObject({ faults: [], missing: 0, singleCount: 2 });
    const [told] = story.entries.filter(({ what }) => what === 'fallback');
    expect(told?.message).toContain('HTTP status 403');
  });

  it('requests single receipts of blocks with own transactions without eth_getBlockReceipts', async () => {
    chain.hasWholeBlocks = false;
    chain.add(OTHER, OTHER);
    chain.add(OWN, OTHER);
    reader.open();

    const [strange, own] = [await blockAt(1), await blockAt(2)];

    expect(story.entries.filter(({ what }) => what === 'fallback')).toEqual([
      { what: 'fallback', number: -1, message: expect.stringContaining('method_missing: the method') },
    ]);
    expect(strange?.txHashes).toHaveLength(64);
    expect(own?.faults).toEqual([]);
    expect(own?.hashes).toHaveLength(32);
    expect(chain.asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2);
  });
});
