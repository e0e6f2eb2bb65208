import { type Address, fromHex, fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { RPC_CODE, RpcFault } from './rpc-fault.ts';

const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;

/** The positional parameters of a call. Throws an RpcFault with the index of a missing or invalid one. */
export class Params {
  readonly #values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  has(index: number): boolean {
    return this.#values[index] !== undefined && this.#values[index] !== null;
  }

  address(index: number): Address {
    return this.#bytesOf(index, ADDRESS_BYTES);
  }

  hash(index: number): Uint8Array {
    return this.#bytesOf(index, HASH_BYTES);
  }

  bytes(index: number): Uint8Array {
    return this.#read(index, (value) => fromHex(textOf(value)));
  }

  quantity(index: number): bigint {
    return this.#read(index, fromQuantity);
  }

  isTrue(index: number): boolean {
    return this.#values[index] === true;
  }

  value(index: number): unknown {
    return this.#read(index, (value) => value);
  }

  object(index: number): Readonly<Record<string, unknown>> {
    return this.#read(index, (value) => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
      throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: expected an object`);
    });
  }

  #bytesOf(index: number, length: number): Uint8Array {
    const bytes = this.bytes(index);
    if (bytes.length === length) return bytes;
    throw new RpcFault(
      RPC_CODE.invalidParams,
      `invalid argument ${index}: expected ${length} bytes, got ${bytes.length}`,
    );
  }

  #read<T>(index: number, read: (value: unknown) => T): T {
    if (!this.has(index)) {
      throw new RpcFault(RPC_CODE.invalidParams, `missing value for required argument ${index}`);
    }
    try {
      return read(this.#values[index]);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: ${error.message}`);
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
