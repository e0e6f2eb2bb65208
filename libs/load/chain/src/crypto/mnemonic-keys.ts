import { HDNodeWallet } from 'ethers/wallet';
import { LangEn } from 'ethers/wordlists';
import { countedText, DomainError } from '#platform/foundation';
import { fromHex } from '../bytes/hex.ts';

/** The accounts of wallets: BIP-44 for Ethereum, without the index. */
const PATH = "m/44'/60'/0'/0";

const WORD_COUNTS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);

/** The private keys of a mnemonic (BIP-39, English, no passphrase), by the index of wallets. */
export class MnemonicKeys {
  readonly #parent: HDNodeWallet;

  /** Throws INVALID_CONFIG, without the text. */
  constructor(phrase: string) {
    const words = phrase.trim().toLowerCase().split(/\s+/);
    try {
      this.#parent = HDNodeWallet.fromPhrase(words.join(' '), '', PATH);
    } catch {
      // The error of the library names what it was given.
      const message = `expected a mnemonic of 12 to 24 English words (BIP-39): ${faultOf(words)}`;
      throw new DomainError('INVALID_CONFIG', message);
    }
  }

  keyOf(index: number): Uint8Array {
    return fromHex(this.#parent.deriveChild(index).privateKey);
  }
}

/** Which rule it breaks, by numbers and places alone. */
function faultOf(words: readonly string[]): string {
  if (!WORD_COUNTS.has(words.length)) return `got ${countedText(words.length, 'word')}`;
  const list = LangEn.wordlist();
  const at = words.findIndex((word) => list.getWordIndex(word) < 0);
  if (at >= 0) return `word ${at + 1} is not in the list of words`;
  return 'the checksum does not match, a word is another one or at another place';
}
