/** Lies about blocks and their receipts. Most affect every {@link EVERY}-th transaction of the load. */
import { BlockLie, feeOf, type ForgedBlock, type ServedBlock, withGas } from './block-lie.ts';
import { type Json, type MakeLie, quantity, type HonestNode } from './lie.ts';

const EVERY = 4;

type Change = (receipt: Json, node: HonestNode) => Json;

const hashOf = (receipt: Json): string => String(receipt['transactionHash']);

/** Selects every {@link EVERY}-th transaction of the load. */
function chosen(node: HonestNode): (hash: string) => boolean {
  const seen = new Map<string, boolean>();
  let count = 0;
  return (hash) => {
    if (!node.isLoad(hash)) return false;
    const known = seen.get(hash);
    if (known !== undefined) return known;
    seen.set(hash, ++count % EVERY === 0);
    return count % EVERY === 0;
  };
}

/** Changes receipts, and adjusts the sender's balance to the fee in the changed receipt. */
function consistently(change: Change): MakeLie {
  return (node) => {
    const isChosen = chosen(node);
    return new BlockLie(node, (block) => {
      const moved = new Map<string, bigint>();
      const receipts = block.receipts.map((receipt) => {
        if (!isChosen(hashOf(receipt))) return receipt;
        const forged = change(receipt, node);
        const sender = String(receipt['from']).toLowerCase();
        moved.set(sender, (moved.get(sender) ?? 0n) + feeOf(receipt) - feeOf(forged));
        return forged;
      });
      return { ...withGas(block, receipts), moved };
    });
  };
}

/** Changes blocks and receipts without adjusting balances. */
function barely(forge: (block: ServedBlock, isChosen: (hash: string) => boolean) => ForgedBlock): MakeLie {
  return (node) => {
    const isChosen = chosen(node);
    return new BlockLie(node, (block) => forge(block, isChosen));
  };
}

const priced = (factor: bigint): Change => {
  return (receipt) => ({
    ...receipt,
    effectiveGasPrice: quantity(BigInt(String(receipt['effectiveGasPrice'])) * factor),
  });
};

function repeated(receipt: Json, { header }: ServedBlock, index: number): Json {
  const { hash, number } = header;
  return { ...receipt, blockHash: hash, blockNumber: number, transactionIndex: quantity(index) };
}

/** Executes and charges a transaction a second time, in the same block or a later one. */
function twice(isLater: boolean): MakeLie {
  return (node) => {
    const isChosen = chosen(node);
    let waiting: Json[] = [];
    return new BlockLie(node, (block) => {
      const own = block.receipts.filter((receipt) => isChosen(hashOf(receipt)));
      const again = isLater ? waiting : own;
      waiting = isLater ? own : [];
      const receipts = [
        ...block.receipts,
        ...again.map((receipt, at) => repeated(receipt, block, block.receipts.length + at)),
      ];
      const moved = new Map(again.map((receipt) => [String(receipt['from']), -feeOf(receipt)]));
      const hashes = [...(block.header['transactions'] as readonly string[]), ...again.map(hashOf)];
      const forged = withGas(block, receipts);
      return { receipts: forged.receipts, header: { ...forged.header, transactions: hashes }, moved };
    });
  };
}

/** Credits (or debits) one account with `wei` from its first block with load on. */
function minted(wei: bigint): MakeLie {
  return (node) => {
    let victim: string | undefined;
    return new BlockLie(node, (block) => {
      const own = block.receipts.find((receipt) => node.isLoad(hashOf(receipt)));
      if (victim !== undefined || own === undefined) return block;
      victim = String(own['from']).toLowerCase();
      return { ...block, moved: new Map([[victim, wei]]) };
    });
  };
}

/** Hides transactions: blocks neither list them nor contain their receipts. */
const hidden: MakeLie = barely((block, isChosen) => {
  const receipts = block.receipts
    .filter((receipt) => !isChosen(hashOf(receipt)))
    .map((receipt, at) => ({ ...receipt, transactionIndex: quantity(at) }));
  const forged = withGas(block, receipts);
  return { receipts: forged.receipts, header: { ...forged.header, transactions: receipts.map(hashOf) } };
});

/** Reverses the transactions in the block and its receipts; the feed keeps the real order. */
const reordered: MakeLie = barely((block) => {
  const order = block.receipts.toReversed();
  const forged = withGas(
    block,
    order.map((receipt, at) => ({ ...receipt, transactionIndex: quantity(at) })),
  );
  return { receipts: forged.receipts, header: { ...forged.header, transactions: order.map(hashOf) } };
});

/** Reverts every transaction: the sender pays the fee and keeps the value. */
const reverted: MakeLie = (node) =>
  new BlockLie(node, (block) => {
    const moved = new Map<string, bigint>();
    const add = (account: string | null, wei: bigint): void => {
      if (account !== null) moved.set(account, (moved.get(account) ?? 0n) + wei);
    };
    const receipts = block.receipts.map((receipt) => {
      const sent = node.sentBy(hashOf(receipt));
      if (sent === undefined || !node.isLoad(sent.hash)) return receipt;
      add(sent.sender, sent.value);
      add(sent.receiver, -sent.value);
      return { ...receipt, status: '0x0' };
    });
    return { ...block, receipts, moved };
  });

const changing = (change: (receipt: Json) => unknown): MakeLie =>
  barely((block, isChosen) => ({
    ...block,
    receipts: block.receipts.map((receipt) =>
      isChosen(hashOf(receipt)) ? change(receipt) : receipt,
    ) as Json[],
  }));

const overLimit: Change = (receipt, node) => {
  const limit = node.sentBy(hashOf(receipt))?.gasLimit ?? 0n;
  return { ...receipt, gasUsed: quantity(limit + 1n) };
};

const STRANGER = `0x${'66'.repeat(20)}`;
const JUNK = `0x${'66'.repeat(32)}`;

export const BLOCK_LIES = {
  balance_credited: minted(1n),
  balance_debited: minted(-1n),
  price_zero: consistently(priced(0n)),
  price_eightfold: consistently(priced(8n)),
  gas_over_limit: consistently(overLimit),
  gas_below_intrinsic: consistently((receipt) => ({ ...receipt, gasUsed: quantity(20_999) })),
  executed_twice_later: twice(true),
  executed_twice_same_block: twice(false),
  transactions_hidden: hidden,
  transactions_reordered: reordered,
  everything_reverted: reverted,
  reverts_hidden: changing((receipt) => ({ ...receipt, status: '0x1' })),
  receipt_left_out: barely((block, isChosen) => ({
    ...block,
    receipts: block.receipts.filter((receipt) => !isChosen(hashOf(receipt))),
  })),
  receipt_malformed: changing((receipt) => ({ ...receipt, gasUsed: 'much' })),
  receipt_of_other_block: changing((receipt) => ({ ...receipt, blockHash: JUNK })),
  receipt_of_other_index: changing((receipt) => ({ ...receipt, transactionIndex: '0xff' })),
  cumulative_gas_wrong: changing((receipt) => ({ ...receipt, cumulativeGasUsed: '0x1' })),
  block_gas_wrong: barely((block) => ({ ...block, header: { ...block.header, gasUsed: '0x1' } })),
  contract_not_named: (node: HonestNode) =>
    new BlockLie(node, (block) => ({
      ...block,
      receipts: block.receipts.map((receipt) => ({ ...receipt, contractAddress: null })),
    })),
  receipt_from_other: changing((receipt) => ({ ...receipt, from: STRANGER })),
  receipt_to_other: changing((receipt) => ({ ...receipt, to: STRANGER })),
  receipt_type_other: changing((receipt) => ({ ...receipt, type: '0x0' })),
  block_times_fall: barely((block) => ({
    ...block,
    header: {
      ...block.header,
      timestamp: quantity(Number(block.header['timestamp']) - (Number(block.header['number']) % 2) * 100),
    },
  })),
  parent_hash_wrong: barely((block) => ({ ...block, header: { ...block.header, parentHash: JUNK } })),
} satisfies Readonly<Record<string, MakeLie>>;
