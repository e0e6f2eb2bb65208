/** Lies in the feed. A lie that renumbers a message renumbers all later ones, to leave no accidental gap. */
import { encodeL2Message, hashesOf, signTransaction, toHex } from '#load/chain';
import type { FeedJson, HonestNode, Json, MakeLie } from './lie.ts';

const EVERY = 3;
/** Longer than the time-out of a correlation. */
const LATE_MS = 2_500;
const JUNK = `0x${'66'.repeat(32)}`;
/** A deposit of ether. */
const PARENT_CHAIN_KIND = 12;
const HOUR_S = 3_600;
/** A signed transaction of nobody's account. */
const STRANGE = signTransaction(
  {
    chainId: 412_346,
    nonce: 7,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 0n,
    gasLimit: 21_000n,
    to: Buffer.alloc(20, 0x66),
    value: 1n,
    data: new Uint8Array(0),
  },
  Buffer.alloc(32, 0x66),
).raw;

interface OwnMessage {
  readonly message: FeedJson;
  /** Hashes of the message's transactions that belong to the load. */
  readonly own: readonly string[];
}

function bytesOf({ message }: FeedJson): Uint8Array {
  return Buffer.from(message.message.l2Msg, 'base64');
}

function withTransactions(message: FeedJson, hashes: readonly string[], node: HonestNode): FeedJson {
  const raws = hashes.flatMap((hash) => node.sentBy(hash)?.raw ?? []);
  const l2Msg = Buffer.from(encodeL2Message(raws)).toString('base64');
  return { ...message, message: { ...message.message, message: { ...message.message.message, l2Msg } } };
}

function withRaw(message: FeedJson, raw: Uint8Array, node: HonestNode): FeedJson {
  const forged = withTransactions(message, [], node);
  const l2Msg = Buffer.from(encodeL2Message([raw])).toString('base64');
  return { ...forged, message: { ...forged.message, message: { ...forged.message.message, l2Msg } } };
}

function withoutHash({ sequenceNumber, message }: FeedJson): FeedJson {
  return { sequenceNumber, message };
}

function withHeader(message: FeedJson, change: Json): FeedJson {
  const { header } = message.message.message;
  const inner = { ...message.message.message, header: { ...header, ...change } };
  return { ...message, message: { ...message.message, message: inner } };
}

const withTime = (message: FeedJson, timestamp: number): FeedJson => withHeader(message, { timestamp });
const timeOf = ({ message }: FeedJson): number => Number(message.message.header['timestamp']);

/** A message of the parent chain, which has no user transactions. */
const ofParentChain = (message: FeedJson, node: HonestNode): FeedJson =>
  withHeader(withTransactions(message, [], node), { kind: PARENT_CHAIN_KIND, requestId: JUNK });

/** `forge` receives each message with transactions of the load, and the number of earlier such messages. */
function lying(forge: (forged: OwnMessage, count: number, node: HonestNode) => readonly FeedJson[]): MakeLie {
  return (node) => {
    let count = 0;
    return {
      feed: (message) => {
        const hashes = hashesOf(bytesOf(message)).map(toHex);
        const own = hashes.filter((hash) => node.isLoad(hash));
        return own.length === 0 ? [message] : forge({ message, own }, count++, node);
      },
    };
  };
}

/** Like {@link lying}, but numbers all sent messages consecutively. */
function renumbered(
  forge: (forged: OwnMessage, count: number, node: HonestNode) => readonly FeedJson[],
): MakeLie {
  return (node) => {
    const lie = lying(forge)(node);
    let next: number | undefined;
    return {
      feed: (message) => {
        next ??= message.sequenceNumber;
        return (lie.feed?.(message) ?? [message]).map((one) => {
          const sequenceNumber = next ?? 0;
          next = sequenceNumber + 1;
          return { ...one, sequenceNumber };
        });
      },
    };
  };
}

/** The metadata with the opposite bit for each transaction of its block; the first byte is their version. */
function inverted(message: FeedJson): FeedJson {
  const { blockMetadata } = message;
  if (blockMetadata === undefined) return message;
  const bits = Buffer.from(blockMetadata, 'base64').map((byte, at) => (at === 0 ? byte : byte ^ 0xff));
  return { ...message, blockMetadata: Buffer.from(bits).toString('base64') };
}

/** Inserts invented messages before some of those with transactions of the load. */
function inventing(invent: (message: FeedJson, node: HonestNode) => FeedJson): MakeLie {
  return renumbered(({ message }, count, node) =>
    count % EVERY === 1 ? [invent(message, node), message] : [message],
  );
}

const hashesIn = (message: FeedJson): readonly string[] => hashesOf(bytesOf(message)).map(toHex);

/** Repeats a transaction in a feed message of its own, at once or after {@link LATE_MS}. */
function repeated({ isLate, isOld }: { readonly isLate: boolean; readonly isOld: boolean }): MakeLie {
  return (node) => {
    let first: { readonly hash: string; readonly atMs: number } | undefined;
    let isDone = false;
    return renumbered(({ message, own: [hash = ''] }) => {
      first ??= { hash, atMs: performance.now() };
      if (isDone || first.hash === hash) return [message];
      if (isLate && performance.now() - first.atMs < LATE_MS) return [message];
      isDone = true;
      const rest = withoutHash(withTransactions(message, [first.hash], node));
      return [message, isOld ? withTime(rest, 1) : rest];
    })(node);
  };
}

export const FEED_LIES = {
  feed_repeats_at_once: repeated({ isLate: false, isOld: false }),
  feed_repeats_late: repeated({ isLate: true, isOld: false }),
  feed_repeats_with_old_time: repeated({ isLate: false, isOld: true }),
  feed_repeats_under_left_out_number: (node: HonestNode) => {
    let first: FeedJson | undefined;
    let isDone = false;
    return {
      feed: (message) => {
        const own = hashesIn(message).filter((hash) => node.isLoad(hash));
        const shifted = {
          ...message,
          sequenceNumber: message.sequenceNumber + (first === undefined ? 0 : 1),
        };
        if (own.length === 0 || isDone) return [shifted];
        if (first !== undefined) {
          isDone = true;
          return [shifted, first];
        }
        const rest = withoutHash(withTransactions(message, own.slice(0, 1), node));
        first = { ...rest, sequenceNumber: message.sequenceNumber + 1 };
        return [message];
      },
    };
  },
  feed_reordered: lying(({ message }, _count, node) => [
    withTransactions(message, hashesIn(message).toReversed(), node),
  ]),
  feed_omits: lying(({ message, own }, count, node) => {
    if (count % EVERY !== 0) return [message];
    return [
      withTransactions(
        message,
        hashesIn(message).filter((hash) => hash !== own[0]),
        node,
      ),
    ];
  }),
  feed_drops: lying(({ message }, count) => (count % EVERY === 1 ? [] : [message])),
  feed_drops_and_renumbers: renumbered(({ message }, count) => (count % EVERY === 1 ? [] : [message])),
  feed_tells_too_early: (node: HonestNode) => {
    let held: FeedJson | undefined;
    return lying(({ message, own }) => {
      const before = held;
      held = message;
      if (before === undefined) return [];
      return [withTransactions(before, [...hashesIn(before), own[0] ?? ''], node)];
    })(node);
  },
  feed_block_hashes_false: lying(({ message }) => [{ ...message, blockHash: JUNK }]),
  feed_hashes_malformed: lying(({ message }) => [{ ...message, blockHash: '0xzz' }]),
  feed_frames_unreadable: lying(({ message }, count, node) => {
    if (count % EVERY === 0) node.sendText('{"version":1,"messages":[{"sequenceNumber":');
    return [message];
  }),
  feed_signatures_junk: lying(({ message }) => [
    { ...message, signatureV2: Buffer.alloc(65, 7).toString('base64') },
  ]),
  feed_invents_empty: inventing((message, node) => withoutHash(withTransactions(message, [], node))),
  feed_invents_empty_with_junk_hash: inventing((message, node) => ({
    ...withTransactions(message, [], node),
    blockHash: JUNK,
  })),
  feed_invents_empty_with_its_hash: inventing((message, node) => withTransactions(message, [], node)),
  feed_invents_strange: inventing((message, node) => withoutHash(withRaw(message, STRANGE, node))),
  feed_invents_strange_with_junk_hash: inventing((message, node) => ({
    ...withRaw(message, STRANGE, node),
    blockHash: JUNK,
  })),
  feed_invents_of_parent_chain: inventing((message, node) => withoutHash(ofParentChain(message, node))),
  feed_omits_beside_other_kind: renumbered(({ message, own }, count, node) => {
    if (count % EVERY !== 1) return [message];
    const rest = hashesIn(message).filter((hash) => hash !== own[0]);
    return [ofParentChain(message, node), withTransactions(message, rest, node)];
  }),
  feed_time_drifts: lying(({ message }, count) => [withTime(message, timeOf(message) + count)]),
  feed_time_goes_back: lying(({ message }, count) => [
    withTime(message, timeOf(message) - (count % EVERY === 1 ? HOUR_S : 0)),
  ]),
  feed_delayed_falls: lying(({ message }, count) => [
    { ...message, message: { ...message.message, delayedMessagesRead: count % EVERY === 1 ? 0 : 9 } },
  ]),
  feed_confirms_ahead: lying(({ message }, _count, node) => {
    const sequenceNumber = message.sequenceNumber + HOUR_S;
    node.sendText(JSON.stringify({ version: 1, confirmedSequenceNumberMessage: { sequenceNumber } }));
    return [message];
  }),
  timeboosted_inverted: lying(({ message }) => [inverted(message)]),
  feed_reorganises: lying(({ message, own }, count, node) => {
    if (count % EVERY !== 1) return [message];
    return [message, withTransactions({ ...message, blockHash: JUNK }, own.slice(1), node)];
  }),
} satisfies Readonly<Record<string, MakeLie>>;
