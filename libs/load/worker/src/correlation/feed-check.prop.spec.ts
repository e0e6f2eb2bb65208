import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FeedEvent } from '../feed/feed-event.ts';
import { FEED_FLAGS } from '#load/telemetry';
import { FeedCheck, type ComparedBlock } from './feed-check.ts';

const START = 100;

const hashOf = (salt: number, number: number): Uint8Array => {
  const hash = new Uint8Array(32).fill(salt);
  new DataView(hash.buffer).setUint32(0, number);
  return hash;
};
const listOf = (numbers: readonly number[]): Uint8Array =>
  Buffer.concat(numbers.map((one) => hashOf(7, one)));

interface FeedText {
  readonly sequence: number;
  readonly txs: readonly number[];
  readonly blockHash: Uint8Array | null;
  readonly isDelayed?: boolean;
  readonly flags?: number;
  readonly timestamp?: number;
}

/** A chain of blocks with transactions, and its feed. */
class World {
  readonly found: string[] = [];
  readonly #check: FeedCheck;
  readonly #offset: number;

  constructor(offset = 0) {
    this.#offset = offset;
    this.#check = new FeedCheck({
      start: { number: START, hash: hashOf(1, START) },
      isOwn: (hash) => (hash[3] ?? 0) % 2 === 0,
      onFinding: (kind, { block_number: block }) => this.found.push(`${kind} ${block}`),
    });
  }

  sequenceOf(block: number): number {
    return block + this.#offset;
  }

  announce({ sequence, txs, blockHash, ...more }: FeedText): void {
    const event: FeedEvent = {
      receivedUs: 1,
      sequenceNumber: sequence,
      timestamp: 1,
      flags: 0,
      missing: 0,
      bytes: 1,
      hashes: listOf(txs),
      blockHash,
      blockMetadata: null,
      isDelayed: false,
      delayedRead: null,
      wrongSigner: null,
      ...more,
    };
    this.#check.message(event);
  }

  make(block: number, txs: readonly number[], salt = 1): void {
    const made: ComparedBlock = {
      blockNumber: block,
      hash: hashOf(salt, block),
      timestamp: 1,
      txHashes: listOf(txs),
    };
    this.#check.block(made);
  }

  replace(block: number): void {
    this.#check.replaced(block);
  }

  endDrain(): void {
    this.#check.endDrain();
  }

  get isCaughtUp(): boolean {
    return this.#check.isCaughtUp;
  }

  end(): readonly string[] {
    this.#check.end();
    return this.found;
  }
}

/** For each block: its number of transactions, whether its message is lost, and whether the feed is ahead. */
const BLOCKS = fc.array(fc.record({ count: fc.nat(4), isLost: fc.boolean(), isAhead: fc.boolean() }), {
  minLength: 1,
  maxLength: 120,
});

describe('FeedCheck with a correct feed', () => {
  it.each([true, false])('reports nothing when messages are lost (with block hashes: %s)', (hasHashes) => {
    fc.assert(
      fc.property(BLOCKS, fc.integer({ min: -50, max: 50 }), (blocks, offset) => {
        const world = new World(offset);
        let tx = 0;
        for (const [at, { count, isLost, isAhead }] of blocks.entries()) {
          const block = START + 1 + at;
          const txs = Array.from({ length: count }, () => tx++);
          const blockHash = hasHashes ? hashOf(1, block) : null;
          const tell = (): void => {
            if (!isLost) world.announce({ sequence: world.sequenceOf(block), txs, blockHash });
          };
          if (isAhead) tell();
          world.make(block, txs);
          if (!isAhead) tell();
        }

        expect(world.end()).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('accepts a block in several messages', () => {
    const world = new World();
    for (const [at, txs] of [[1, 2], [3], [4, 5]].entries()) {
      world.announce({ sequence: 101 + at, txs, blockHash: hashOf(1, 101) });
    }
    world.announce({ sequence: 104, txs: [6], blockHash: hashOf(1, 102) });
    world.make(101, [1, 2, 3, 4, 5]);
    world.make(102, [6]);

    expect(world.end()).toEqual([]);
  });

  it('accepts a reorganisation with and without new messages for the replaced blocks', () => {
    const silent = new World();
    const anew = new World();
    for (const world of [silent, anew]) {
      for (const block of [101, 102, 103]) {
        world.announce({ sequence: block, txs: [block], blockHash: hashOf(1, block) });
        world.make(block, [block]);
      }
      world.replace(103);
      world.replace(102);
      if (world === anew) {
        for (const block of [102, 103])
          world.announce({ sequence: block, txs: [9], blockHash: hashOf(2, block) });
      }
      for (const block of [102, 103]) world.make(block, [9], 2);
      expect(world.end()).toEqual([]);
    }
  });
});

describe('FeedCheck with a false feed', () => {
  const TXS = [2, 4, 6];

  it.each<[string, Partial<FeedText>, readonly string[]]>([
    ['omits one of our transactions', { txs: [2, 6] }, ['feed_omitted 103']],
    ['contains an unknown transaction', { txs: [2, 4, 6, 8] }, ['feed_not_in_block 103']],
    ['has another order', { txs: [4, 2, 6] }, ['feed_order 103']],
  ])('reports a message that %s, also after many blocks', (_, lie, findings) => {
    for (const more of [2, 60]) {
      const world = new World(5);
      for (let block = 101; block <= 103 + more; block++) {
        const txs = block === 103 ? TXS : [];
        const told = { sequence: world.sequenceOf(block), txs, blockHash: hashOf(1, block) };
        world.announce(block === 103 ? { ...told, ...lie } : told);
        world.make(block, txs);
      }
      expect(world.end()).toEqual(findings);
    }
  });

  it('reports block hashes that are false from the first message on', () => {
    const world = new World();
    for (let block = 101; block <= 140; block++) {
      world.announce({ sequence: block, txs: [block], blockHash: hashOf(9, block) });
      world.make(block, [block]);
    }

    const found = world.end();
    expect(found).toHaveLength(40);
    expect(new Set(found.map((one) => one.split(' ')[0]))).toEqual(new Set(['feed_block_hash']));
  });

  it('reports block hashes and contents that are false after the first message', () => {
    const world = new World();
    world.announce({ sequence: 101, txs: [1], blockHash: hashOf(1, 101) });
    world.make(101, [1]);
    for (let block = 102; block <= 140; block++) {
      world.announce({ sequence: block, txs: [block + 200], blockHash: hashOf(9, block) });
      world.make(block, [block * 2]);
    }

    const kinds = new Set(world.end().map((one) => one.split(' ')[0]));
    expect(kinds).toEqual(new Set(['feed_block_hash', 'feed_not_in_block', 'feed_omitted']));
  });
});

/** Tells and makes the blocks from 101 to 140, each with one transaction; `lie` adds messages before one. */
function messageWith(
  lie: (tell: (told: Partial<FeedText>) => void) => void,
  hasHashes = true,
): readonly string[] {
  const world = new World();
  let sequence = 101;
  for (let block = 101; block <= 140; block++) {
    const add = (told: Partial<FeedText>): void => {
      world.announce({ txs: [], blockHash: null, sequence: sequence++, ...told });
    };
    if (block === 120) lie(add);
    add({ txs: [block], blockHash: hasHashes ? hashOf(1, block) : null });
    world.make(block, [block]);
  }
  return world.end();
}

describe('FeedCheck with invented messages', () => {
  const JUNK = hashOf(9, 1);

  it.each<[string, Partial<FeedText>]>([
    ['an empty one without a hash', {}],
    ['an empty one with a junk hash', { blockHash: JUNK }],
    ['one with a strange transaction', { txs: [7_001] }],
    ['one with a strange transaction and a junk hash', { txs: [7_001], blockHash: JUNK }],
    ['one of the parent chain', { isDelayed: true, timestamp: 0 }],
    ['an empty one with the hash of the next block', { blockHash: hashOf(1, 120) }],
  ])('reports %s', (_, told) => {
    const found = messageWith((tell) => {
      tell(told);
    });

    expect(found.map((one) => one.split(' ')[0])).toEqual(['feed_without_block']);
  });

  it.each([
    ['the block before the run', START],
    ['an earlier block', 103],
  ])('reports one with the hash of %s', (_, block) => {
    const found = messageWith((tell) => {
      tell({ blockHash: hashOf(1, block) });
    });

    expect(found).toContainEqual(expect.stringMatching(/^feed_(?:without_block|order)/));
  });

  it('reports one with transactions in a feed without hashes', () => {
    const kinds = messageWith((tell) => {
      tell({ txs: [7_001] });
    }, false).map((one) => one.split(' ')[0]);

    expect(kinds).toContain('feed_not_in_block');
  });

  it('reports a late one below the start as unconfirmed', () => {
    const found = messageWith((tell) => {
      tell({ sequence: 7, txs: [7_001], flags: FEED_FLAGS.late });
    });

    expect(found).toEqual(['feed_unconfirmed null']);
  });

  it.each([true, false])(
    'compares transactions beside an empty message of the same block (%s)',
    (isFirst) => {
      const found = messageWith((tell) => {
        const empty = { blockHash: hashOf(1, 120), isDelayed: true, timestamp: 0 };
        if (isFirst) tell(empty);
        tell({ txs: [9_002], blockHash: hashOf(1, 120) });
        if (!isFirst) tell(empty);
      });

      expect(found).toContain('feed_not_in_block 120');
    },
  );

  it('reports messages in another order than their blocks', () => {
    const world = new World();
    for (let block = 101; block <= 140; block++) {
      const sequence = block === 120 ? 121 : block === 121 ? 120 : block;
      world.announce({ sequence, txs: [block], blockHash: hashOf(1, block) });
      world.make(block, [block]);
    }

    expect(world.end()).toEqual(['feed_order 121']);
  });

  it('reports a time that is not that of the block', () => {
    const found = messageWith((tell) => {
      tell({ sequence: 119, txs: [119], blockHash: hashOf(1, 119), timestamp: 3_601 });
    });

    expect(found).toEqual(['feed_time 119']);
  });
});

describe('FeedCheck with a feed that is late or ahead', () => {
  it('compares messages that come long after their blocks', () => {
    for (const lie of [[], [5]]) {
      const world = new World();
      world.announce({ sequence: 101, txs: [1], blockHash: hashOf(1, 101) });
      for (let block = 101; block <= 200; block++) world.make(block, [block - 100]);
      for (let block = 102; block <= 200; block++) {
        world.announce({ sequence: block, txs: [block - 100, ...lie], blockHash: hashOf(1, block) });
      }
      expect(world.end().length > 0).toBe(lie.length > 0);
    }
  });

  it('judges no message after the end of the drain, and waits for the block of the last one before', () => {
    const world = new World();
    world.announce({ sequence: 101, txs: [1], blockHash: hashOf(1, 101) });
    world.announce({ sequence: 102, txs: [2], blockHash: hashOf(1, 102) });
    world.endDrain();
    world.announce({ sequence: 103, txs: [3], blockHash: hashOf(1, 103) });
    world.make(101, [1]);
    const before = world.isCaughtUp;
    world.make(102, [2]);

    expect([before, world.isCaughtUp]).toEqual([false, true]);
    expect(world.end()).toEqual([]);
  });

  it('reports messages beyond the last block as unconfirmed', () => {
    const world = new World();
    for (let block = 101; block <= 103; block++) {
      world.announce({ sequence: block, txs: [block], blockHash: hashOf(1, block) });
    }
    world.make(101, [101]);

    expect(world.end()).toEqual(['feed_unconfirmed null', 'feed_unconfirmed null']);
  });

  it('takes invalid transactions from the parent chain for unconfirmed', () => {
    const world = new World();
    world.announce({ sequence: 101, txs: [1, 3], blockHash: hashOf(1, 101), isDelayed: true, timestamp: 0 });
    world.make(101, [1]);

    expect(world.end()).toEqual(['feed_unconfirmed null']);
  });
});

describe('FeedCheck with a feed without messages for replacement blocks', () => {
  const SHORT = fc.array(
    fc.record({ depth: fc.integer({ min: 1, max: 3 }), quiet: fc.integer({ min: 1, max: 20 }) }),
    {
      minLength: 1,
      maxLength: 2,
    },
  );

  it('reports no false hash for blocks that were replaced before they were read', () => {
    fc.assert(
      fc.property(SHORT, (reorganisations) => {
        const world = new World();
        let block = START + 1;
        const stand = (salt: number): void => {
          world.announce({ sequence: block, txs: [block], blockHash: hashOf(salt, block) });
          world.make(block, [block], salt);
          block++;
        };
        for (const { depth, quiet } of reorganisations) {
          for (let at = 0; at < quiet; at++) stand(1);
          const first = block;
          for (let at = 0; at < depth; at++, block++) {
            world.announce({ sequence: block, txs: [block, 2_000 + block], blockHash: hashOf(5, block) });
          }
          for (let replaced = first; replaced < block; replaced++) world.make(replaced, [], 1);
          for (let at = 0; at < quiet; at++) stand(1);
        }

        const found = world.end();
        const depths = reorganisations.reduce((sum, { depth }) => sum + depth, 0);
        expect(found).toHaveLength(depths);
        expect(new Set(found.map((one) => one.split(' ')[0]))).toEqual(new Set(['feed_unconfirmed']));
      }),
    );
  });

  it('reports no false hash when the reader was far behind', () => {
    const world = new World();
    world.announce({ sequence: 101, txs: [1], blockHash: hashOf(1, 101) });
    for (let block = 101; block <= 140; block++) world.make(block, block === 101 ? [1] : []);
    for (let block = 141; block <= 160; block++) {
      world.announce({ sequence: block, txs: [block], blockHash: hashOf(5, block) });
    }
    for (let block = 141; block <= 200; block++) world.make(block, []);

    const kinds = new Set(world.end().map((one) => one.split(' ')[0]));
    expect(kinds).toEqual(new Set(['feed_unconfirmed']));
  });

  it('reports hashes as unconfirmed after an observed reorganisation', () => {
    const world = new World();
    for (let block = 101; block <= 160; block++) {
      const isSeen = block === 130;
      const salt = block > 130 ? 9 : 1;
      world.announce({ sequence: block, txs: [], blockHash: hashOf(salt, block) });
      world.make(block, []);
      if (isSeen) {
        world.replace(block);
        world.make(block, [], 2);
      }
    }

    const kinds = new Set(world.end().map((one) => one.split(' ')[0]));
    expect(kinds).toEqual(new Set(['feed_unconfirmed']));
  });
});
