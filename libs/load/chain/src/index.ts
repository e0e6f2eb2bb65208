export { type Address, addressOf, checksumAddress, contractAddress, isPrivateKey } from './crypto/address.ts';
export { fromHex, toHex, fromQuantity, toQuantity } from './bytes/hex.ts';
export { signingBackend } from './crypto/signing-curve.ts';
export {
  decodeFeedFrame,
  encodeBroadcastMessage,
  encodeFeedFrame,
  encodeFeedMessage,
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
export { ContractAbi, ContractFunction } from './contract/contract-abi.ts';
export {
  type ArgumentSource,
  choicesOf,
  isConstant,
  referencesOf,
  resolveArgument,
} from './contract/call-argument.ts';
export { keccak256 } from './crypto/keccak256.ts';
export { type DecodedTransaction, decodeTransaction } from './transaction/sender.ts';
export {
  type Eip1559Fields,
  type SignedTransaction,
  signTransaction,
} from './transaction/sign-transaction.ts';
export {
  type AccessListEntry,
  parseTransaction,
  type TransactionEnvelope,
} from './transaction/transaction-envelope.ts';
