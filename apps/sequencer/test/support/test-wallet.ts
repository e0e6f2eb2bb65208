import { addressOf, type TransactionFields, fromHex, keccak256, signTransaction, toHex } from '#load/chain';

export interface SignedHex {
  readonly raw: string;
  readonly hash: string;
}

/** A signing key with a nonce counter. */
export class TestWallet {
  readonly address: Uint8Array;
  readonly hex: string;
  nonce = 0;
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
    this.address = addressOf(key);
    this.hex = toHex(this.address);
  }

  /** Anvil's first development account, funded in both modes. */
  static rich(): TestWallet {
    return new TestWallet(fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'));
  }

  static named(name: string): TestWallet {
    return new TestWallet(keccak256(Buffer.from(name)));
  }

  /** A transfer of 1 wei to 0x11…11, overridden by `fields`; uses the next nonce unless it is set. */
  sign(fields: Partial<TransactionFields> = {}): SignedHex {
    const signed = signTransaction(
      {
        chainId: 412_346,
        nonce: fields.nonce ?? this.nonce++,
        maxPriorityFeePerGas: 0n,
        maxFeePerGas: 2_000_000_000n,
        gasLimit: 100_000n,
        to: Buffer.alloc(20, 0x11),
        value: 1n,
        data: new Uint8Array(0),
        ...fields,
      },
      this.#key,
    );
    return { raw: toHex(signed.raw), hash: toHex(signed.hash) };
  }
}
