/** Recovers the sender: signed hash and signature determine the public key, which determines the address. */
import { type Address, addressOf } from '../crypto/address.ts';
import { wireFault } from '../bytes/hex.ts';
import { curve } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { RlpWriter } from '../bytes/rlp-writer.ts';
import { parseTransaction, type TransactionEnvelope } from './transaction-envelope.ts';

export interface DecodedTransaction extends TransactionEnvelope {
  readonly sender: Address;
}

const HEADER_ROOM = 6;
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

const writer = new RlpWriter();

/** Reads a transaction and recovers its sender. Throws WIRE_FORMAT for invalid bytes or signatures. */
export function decodeTransaction(raw: Uint8Array): DecodedTransaction {
  const envelope = parseTransaction(raw);
  return { ...envelope, sender: senderOf(envelope) };
}

/** The sender of a transaction. Throws WIRE_FORMAT for an invalid signature. */
export function senderOf(envelope: TransactionEnvelope): Address {
  const yParity = yParityOf(envelope);
  const signature = new Uint8Array(64);
  const { r, s } = envelope.signature;
  signature.set(r, 32 - r.length);
  signature.set(s, 64 - s.length);
  if (yParity !== undefined && HALF_ORDER.compare(signature, 32) >= 0) {
    const key = curve.recover(signedHash(envelope), { signature, yParity });
    if (key !== undefined) return addressOf(key.subarray(1));
  }
  throw wireFault('expected a signature that a private key can have made');
}

function yParityOf({ type, chainId, signature: { v } }: TransactionEnvelope): number | undefined {
  const parity = type !== 0 ? v : chainId === null ? v - 27n : v - 35n - 2n * chainId;
  return parity === 0n || parity === 1n ? Number(parity) : undefined;
}

function signedHash({ type, chainId, signature }: TransactionEnvelope): Uint8Array {
  writer.reset(HEADER_ROOM).encoded(signature.signedFields);
  if (type === 0 && chainId !== null) writer.uint(chainId).uint(0).uint(0);
  const list = writer.listHeader(HEADER_ROOM);
  return keccak256(writer.view(type === 0 ? list : writer.prefix(list, type), writer.at));
}
