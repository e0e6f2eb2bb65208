import { HDNodeWallet } from 'ethers/wallet';
import { DomainError } from '#platform/foundation';
import { fromHex } from '../bytes/hex.ts';

/** The accounts of wallets: BIP-44 for Ethereum, without the index. */
const PATH = "m/44'/60'/0'/0";

/** The private keys of a mnemonic (BIP-39, English, no passphrase), by the index of wallets. */
export class MnemonicKeys {
  readonly #parent: HDNodeWallet;

  /** Throws INVALID_CONFIG, without the text. */
  constructor(phrase: string) {
    try {
      this.#parent = HDNodeWallet.fromPhrase(phrase.trim().split(/\s+/).join(' '), '', PATH);
    } catch {
      // The error of the library names what it was given.
      throw new DomainError('INVALID_CONFIG', 'expected a mnemonic of 12 to 24 English words (BIP-39)');
    }
  }

  keyOf(index: number): Uint8Array {
    return fromHex(this.#parent.deriveChild(index).privateKey);
  }
}
