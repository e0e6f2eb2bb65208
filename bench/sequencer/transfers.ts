import type * as chain from '../../libs/load/chain/src/index.ts';

const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const CHAIN_ID = 412_346;
const FUND_WEI = 10n ** 18n;

/** JSON-RPC bodies of transfers, signed in advance. */
export class Transfers {
  readonly #chain: typeof chain;
  readonly #keys: readonly Uint8Array[];
  readonly #receivers: readonly Uint8Array[];
  #nonce = 0;

  constructor(library: typeof chain, senders: number) {
    this.#chain = library;
    this.#keys = Array.from({ length: senders }, (_, index) =>
      library.keccak256(Buffer.from(`bench sender ${index}`)),
    );
    this.#receivers = this.#keys.map((key) => library.addressOf(key));
  }

  /** One body for each sender, all from the funding account. */
  funding(): string[] {
    const rich = this.#chain.fromHex(RICH_KEY);
    return this.#receivers.map((to, nonce) => this.#body(rich, { nonce, to, value: FUND_WEI }));
  }

  /** The next transfers of each sender, to its neighbour. */
  next(perSender: number): string[][] {
    const from = this.#nonce;
    this.#nonce += perSender;
    return this.#keys.map((key, index) => {
      const to = this.#receivers[(index + 1) % this.#receivers.length] ?? key;
      return Array.from({ length: perSender }, (_, at) =>
        this.#body(key, { nonce: from + at, to, value: 1n }),
      );
    });
  }

  #body(key: Uint8Array, fields: Pick<chain.TransactionFields, 'nonce' | 'to' | 'value'>): string {
    const { raw } = this.#chain.signTransaction(
      {
        ...fields,
        chainId: CHAIN_ID,
        maxPriorityFeePerGas: 0n,
        maxFeePerGas: 2_000_000_000n,
        gasLimit: 25_000n,
        data: new Uint8Array(0),
      },
      key,
    );
    const params = `["${this.#chain.toHex(raw)}"]`;
    return `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":${params}}`;
  }
}
