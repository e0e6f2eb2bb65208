/** The simulated chain through a client library. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Contract,
  ContractFactory,
  JsonRpcProvider,
  type TransactionReceipt,
  type TransactionResponse,
  Wallet,
} from 'ethers';
import { RunningSim } from './support/running-sim.ts';

const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const TOKEN = [
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
];
const START_UNITS = 10n ** 24n;
const SOME_CODE = '0x6001600255';

let sim: RunningSim;
let provider: JsonRpcProvider;
let rich: Wallet;

beforeAll(async () => {
  sim = await RunningSim.start();
  provider = new JsonRpcProvider(sim.rpc.url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
  rich = new Wallet(RICH_KEY, provider);
});
afterAll(async () => {
  provider.destroy();
  await sim[Symbol.asyncDispose]();
});

async function included(sent: Promise<TransactionResponse>): Promise<TransactionReceipt> {
  const receipt = await (await sent).wait();
  if (receipt === null) throw new Error('no receipt came');
  return receipt;
}

describe('the simulated chain', () => {
  it('has chain id 412346 and a block with a time', async () => {
    const { chainId } = await provider.getNetwork();
    const block = await provider.getBlock('latest');

    expect(chainId).toBe(412_346n);
    expect(block?.timestamp).toBeGreaterThan(1_600_000_000);
    expect(block?.baseFeePerGas).toBe(100_000_000n);
  });

  it('moves value, conserves every wei, and keeps past balances', async () => {
    const to = Wallet.createRandom().address;
    const before = await provider.getBalance(rich);

    const receipt = await included(rich.sendTransaction({ to, value: 12_345n }));

    const after = await provider.getBalance(rich);
    expect(receipt.status).toBe(1);
    expect(receipt.gasPrice).toBe(100_000_000n);
    expect(before - after).toBe(12_345n + receipt.fee);
    expect(await provider.getBalance(to)).toBe(12_345n);
    expect(await provider.getBalance(rich, receipt.blockNumber)).toBe(after);
    expect(await provider.getBalance(rich, receipt.blockNumber - 1)).toBe(before);
    expect(await provider.getBalance(to, receipt.blockNumber - 1)).toBe(0n);
  });

  it('returns past nonces', async () => {
    const receipt = await included(rich.sendTransaction({ to: rich.address }));

    const now = await provider.getTransactionCount(rich);
    expect(await provider.getTransactionCount(rich, 'pending')).toBe(now);
    expect(await provider.getTransactionCount(rich, receipt.blockNumber)).toBe(now);
    expect(await provider.getTransactionCount(rich, receipt.blockNumber - 1)).toBe(now - 1);
  });

  it('charges and reports gas for data and for the parent chain', async () => {
    const plain = await included(rich.sendTransaction({ to: rich.address }));
    const data = await included(rich.sendTransaction({ to: rich.address, data: '0x00ff' }));
    const receipts = await sim.rpc.call<Record<string, string>[]>(
      'eth_getBlockReceipts',
      `0x${data.blockNumber.toString(16)}`,
    );

    const forParent = Number(receipts[0]?.['gasUsedForL1']);
    expect(forParent).toBeGreaterThan(200);
    expect(Number(data.gasUsed) - forParent).toBe(21_000 + 4 + 16);
    expect(Number(plain.gasUsed)).toBeLessThan(21_300);
  });

  it('accepts transactions of every user-signed type', async () => {
    const fields = { to: rich.address, value: 1n };

    const types = [
      await included(rich.sendTransaction({ ...fields, type: 0 })),
      await included(rich.sendTransaction({ ...fields, type: 1, accessList: [[rich.address, []]] })),
      await included(rich.sendTransaction({ ...fields, type: 2 })),
    ].map((receipt) => receipt.type);

    expect(types).toEqual([0, 1, 2]);
  });

  it('returns a transaction with its signed fields', async () => {
    const sent = await rich.sendTransaction({ to: rich.address, value: 7n, data: '0xabcd' });
    const receipt = await sent.wait();

    const shown = await provider.getTransaction(sent.hash);
    expect(shown?.signature.serialized).toBe(sent.signature.serialized);
    expect([shown?.from, shown?.value, shown?.data, shown?.nonce, shown?.blockHash]).toEqual([
      rich.address,
      7n,
      '0xabcd',
      sent.nonce,
      receipt?.blockHash,
    ]);
  });

  it('links its blocks, with full transactions on demand', async () => {
    const receipt = await included(rich.sendTransaction({ to: rich.address }));

    const block = await provider.getBlock(receipt.blockNumber, true);
    const parent = await provider.getBlock(receipt.blockNumber - 1);
    expect(block?.parentHash).toBe(parent?.hash);
    expect(await provider.getBlock(block?.hash ?? '')).toMatchObject({ number: receipt.blockNumber });
    expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toEqual([receipt.hash]);
    expect(block?.gasUsed).toBe(receipt.gasUsed);
  });

  it('creates contracts that behave like tokens', async () => {
    const token = await new ContractFactory(TOKEN, SOME_CODE, rich).deploy();
    await token.waitForDeployment();
    const address = await token.getAddress();
    const holder = Wallet.createRandom().address;
    const contract = new Contract(address, TOKEN, rich);

    const receipt = await included(contract.getFunction('transfer').send(holder, 5n));

    expect(await provider.getCode(address)).toBe(SOME_CODE);
    expect(receipt).toMatchObject({ status: 1 });
    expect(await contract.getFunction('balanceOf')(holder)).toBe(START_UNITS + 5n);
    expect(await contract.getFunction('balanceOf')(rich)).toBe(START_UNITS - 5n);
  });

  it('charges the fee of a reverted transfer, and moves nothing', async () => {
    const token = await new ContractFactory(TOKEN, SOME_CODE, rich).deploy();
    await token.waitForDeployment();
    const address = await token.getAddress();
    const before = await provider.getBalance(rich);

    const data = token.interface.encodeFunctionData('transfer', [rich.address, START_UNITS + 1n]);
    const sent = await rich.sendTransaction({ to: address, data, value: 9n, gasLimit: 100_000n });
    const receipt = await provider.getTransactionReceipt(sent.hash);

    expect(receipt?.status).toBe(0);
    expect(before - (await provider.getBalance(rich))).toBe(receipt?.fee);
    expect(await provider.getBalance(address)).toBe(0n);
  });

  it('spends the whole gas limit if it is too low for the execution', async () => {
    const creation = await rich.sendTransaction({ data: `0x${'ff'.repeat(1_000)}`, gasLimit: 80_000n });

    const receipt = await provider.getTransactionReceipt(creation.hash);
    expect([receipt?.status, receipt?.gasUsed, receipt?.contractAddress]).toEqual([0, 80_000n, null]);
  });

  it('estimates sufficient gas for all its operations', async () => {
    const inputs = [
      { to: rich.address },
      { to: rich.address, data: `0x${'01'.repeat(3_000)}` },
      { data: SOME_CODE },
    ];

    const receipts = [];
    for (const input of inputs) receipts.push(await included(rich.sendTransaction(input)));

    expect(receipts.map(({ status }) => status)).toEqual([1, 1, 1]);
  });
});
