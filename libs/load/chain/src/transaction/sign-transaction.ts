/**
 * Hot path: signs EIP-1559 transactions. The nine fields are written once. They are preceded first by the
 * list header without the signature, to compute the signed hash, then by the list header with it, for the
 * result:
 *
 *   0x02 ‖ rlp([chainId, nonce, maxPriorityFee, maxFee, gasLimit, to, value, data, accessList])
 *   0x02 ‖ rlp([the same, yParity, r, s])
 */
import { assert } from '#platform/foundation';
import { curve } from '../crypto/signing-curve.ts';
import { keccak256 } from '../crypto/keccak256.ts';
import { RlpWriter } from '../bytes/rlp-writer.ts';

/** The fields of an EIP-1559 transaction. Fees and value are in wei. */
export interface Eip1559Fields {
  readonly chainId: bigint | number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  /** null creates a contract from `data`. */
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** Both arrays are newly allocated. */
export interface SignedTransaction {
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
}

const TYPE = 2;
const HEADER_ROOM = 6;
const EMPTY = new Uint8Array(0);
const EMPTY_LIST = Uint8Array.of(0xc0);

const writer = new RlpWriter();

/** Signs with a private key of 32 bytes. Deterministic: equal fields and keys yield equal bytes. */
export function signTransaction(fields: Eip1559Fields, privateKey: Uint8Array): SignedTransaction {
  writeFields(fields);
  const { signature, yParity } = curve.sign(keccak256(envelope()), privateKey);
  writer.uint(yParity).uintBytes(signature.subarray(0, 32)).uintBytes(signature.subarray(32));
  const raw = Uint8Array.from(envelope());
  return { raw, hash: keccak256(raw) };
}

function writeFields(fields: Eip1559Fields): void {
  assert(fields.to === null || fields.to.length === 20, 'a receiver of 20 bytes, or null');
  writer
    .reset(HEADER_ROOM)
    .uint(fields.chainId)
    .uint(fields.nonce)
    .uint(fields.maxPriorityFeePerGas)
    .uint(fields.maxFeePerGas)
    .uint(fields.gasLimit)
    .string(fields.to ?? EMPTY)
    .uint(fields.value)
    .string(fields.data)
    .encoded(EMPTY_LIST);
}

/** The written fields as a list with the type byte. */
function envelope(): Uint8Array {
  return writer.view(writer.prefix(writer.listHeader(HEADER_ROOM), TYPE), writer.at);
}
