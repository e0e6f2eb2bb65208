/** Hot path: keys, signatures and their hexadecimal text, on a separate thread. */
import { type SignedTransaction, signTransaction, toHex } from '#load/chain';
import { assert, type Secret } from '#platform/foundation';
import { AccountKeys, AddressBook } from '../plan/account-keys.ts';
import { authorizationsOf } from './authorization.ts';
import { type Blueprint, payloadOf } from './blueprint.ts';
import type { RequestForm } from './request-form.ts';
import type { Fees, SignedPages, SignerSetup, SigningColumns } from './signing-order.ts';

const HASH_BYTES = 32;
const HEAD = '{"jsonrpc":"2.0","id":';
const ID_DIGITS_MAX = 16;
const PAGE_BYTES_FIRST = 65_536;

/** Signs transactions for the accounts of one partition. */
export class Signer {
  readonly #setup: SignerSetup;
  readonly #accounts: AccountKeys;
  readonly #seed: Secret;
  readonly #book: AddressBook;
  readonly #keys: Uint8Array[] = [];
  #blueprints: readonly Blueprint[] = [];
  #fees: Fees | undefined;
  #page = Buffer.allocUnsafe(PAGE_BYTES_FIRST);

  constructor(setup: SignerSetup) {
    this.#setup = setup;
    this.#accounts = new AccountKeys(setup.accounts);
    this.#seed = this.#accounts.seed;
    this.#book = new AddressBook(setup.firstAccount, setup.addresses);
  }

  use(blueprints: readonly Blueprint[], fees: Fees): void {
    this.#blueprints = blueprints;
    this.#fees = fees;
  }

  sign(columns: SigningColumns, firstId: number): SignedPages {
    const count = columns.positions.length;
    const ends = new Uint32Array(count);
    const hashes = new Uint8Array(count * HASH_BYTES);
    let end = 0;
    for (let i = 0; i < count; i++) {
      const blueprint = this.#blueprints[columns.entries[i]!];
      assert(blueprint !== undefined, 'blueprints come before orders');
      const { raw, hash } = this.#signOne(columns, i, blueprint);
      hashes.set(hash, i * HASH_BYTES);
      end = this.#append(raw, { id: firstId + i, from: end, form: blueprint.sending.form });
      ends[i] = end;
    }
    return { bodies: Uint8Array.prototype.slice.call(this.#page, 0, end), ends, hashes };
  }

  #signOne(
    { positions, nonces, variants }: SigningColumns,
    i: number,
    blueprint: Blueprint,
  ): SignedTransaction {
    const position = positions[i]!;
    const nonce = nonces[i]!;
    assert(this.#fees !== undefined, 'blueprints come before orders');
    const { type, accessList, delegation } = blueprint.sending;
    const payload = payloadOf(blueprint, { book: this.#book, position, nonce });
    const { chainId, firstAccount } = this.#setup;
    const place = { seed: this.#seed, chainId, account: firstAccount + position, nonce };
    const fields = {
      type,
      accessList,
      ...(delegation !== null && { authorizations: authorizationsOf(delegation, place) }),
      chainId,
      nonce,
      maxPriorityFeePerGas: this.#fees.priorityFee,
      maxFeePerGas: this.#fees.maxFee,
      gasLimit: blueprint.gasLimit + BigInt(variants[i]!),
      ...payload,
    };
    return signTransaction(fields, this.#keyOf(position));
  }

  #keyOf(position: number): Uint8Array {
    return (this.#keys[position] ??= this.#accounts.keyOf(this.#setup.firstAccount + position));
  }

  /** Writes one request, or its beginning; returns its end. */
  #append(
    raw: Uint8Array,
    { id, from, form }: { readonly id: number; readonly from: number; readonly form: RequestForm },
  ): number {
    const { before, after } = form;
    const tail = after ?? '';
    const most = HEAD.length + ID_DIGITS_MAX + before.length + 2 * raw.length + 2 + tail.length;
    if (this.#page.length < from + most) this.#grow(from + most);
    const page = this.#page;
    let at = from + page.write(`${HEAD}${id}${before}`, from, 'latin1');
    at += page.write(toHex(raw), at, 'latin1');
    return at + page.write(tail, at, 'latin1');
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(bytes, this.#page.length * 2));
    this.#page.copy(larger);
    this.#page = larger;
  }
}
