export { type Address, addressOf, checksumAddress, contractAddress, isPrivateKey } from './crypto/address.ts';
export { fromHex, toHex, fromQuantity, toQuantity } from './bytes/hex.ts';
export { MnemonicKeys } from './crypto/mnemonic-keys.ts';
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
export {
  ANY_SEQUENCE,
  blockMetadataOf,
  type ExpressLaneSubmission,
  isTimeboosted,
  signSubmission,
  submissionSigner,
} from './transaction/express-lane.ts';
export { type DecodedTransaction, decodeTransaction } from './transaction/sender.ts';
export {
  signAuthorization,
  type SignedAuthorization,
  type SignedTransaction,
  signTransaction,
  type TransactionFields,
} from './transaction/sign-transaction.ts';
export {
  type AccessListEntry,
  parseTransaction,
  type TransactionEnvelope,
  type TransactionType,
} from './transaction/transaction-envelope.ts';
