import { Wallet } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';
import type * as chain from '../../libs/load/chain/src/index.ts';

/** Signs a transfer with a nonce; returns the bytes as hex text, as required by JSON-RPC. */
export type Signer = (nonce: number) => string | Promise<string>;

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const CHAIN_ID = 412_346;
const GAS = 21_500n;
const MAX_FEE = 300_000_000n;
const VALUE = 10n ** 18n;

/** The same transfer for each signer; all return the same bytes. */
export function createSigners({ fromHex, signTransaction, toHex }: typeof chain): Map<string, Signer> {
  const key = fromHex(KEY);
  const fields = {
    chainId: CHAIN_ID,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: MAX_FEE,
    gasLimit: GAS,
    to: fromHex(TO),
    value: VALUE,
    data: new Uint8Array(0),
  };
  const account = privateKeyToAccount(KEY);
  const wallet = new Wallet(KEY);
  const forViem = { type: 'eip1559', chainId: CHAIN_ID, gas: GAS, to: TO, value: VALUE } as const;
  const forEthers = { type: 2, chainId: CHAIN_ID, gasLimit: GAS, to: TO, value: VALUE };
  const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: 0n };
  return new Map<string, Signer>([
    ['plexus', (nonce) => toHex(signTransaction({ ...fields, nonce }, key).raw)],
    ['viem', (nonce) => account.signTransaction({ ...forViem, ...fees, nonce })],
    ['ethers', (nonce) => wallet.signTransaction({ ...forEthers, ...fees, nonce })],
  ]);
}
