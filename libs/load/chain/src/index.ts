export {
  type Address,
  addressOf,
  checksumAddress,
  contractAddress,
  isPrivateKey,
} from './address/address.ts';
export { fromHex, toHex } from './bytes/hex.ts';
export { fromQuantity, toQuantity } from './bytes/quantity.ts';
export { signingBackend } from './curve/signing-curve.ts';
export {
  decodeFeedFrame,
  encodeBroadcastMessage,
  encodeFeedFrame,
  encodeFeedMessage,
  type FeedFrame,
  type FeedMessage,
  L2_MESSAGE_KIND,
} from './feed/feed-frame.ts';
export { feedSignerOf, signFeedMessage } from './feed/feed-signature.ts';
export {
  batchedBytes,
  encodeL2Message,
  hashesOf,
  L2_MESSAGE_BYTES_MAX,
  transactionsOf,
} from './feed/l2-message.ts';
export { keccak256 } from './hash/keccak256.ts';
export { type DecodedTransaction, decodeTransaction, senderOf } from './transaction/sender.ts';
export {
  type Eip1559Fields,
  type SignedTransaction,
  signTransaction,
} from './transaction/sign-transaction.ts';
export {
  type AccessListEntry,
  parseTransaction,
  type TransactionEnvelope,
  type TransactionType,
} from './transaction/transaction-envelope.ts';
