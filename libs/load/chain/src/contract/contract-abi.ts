/**
 * The interface of a contract: its functions, its constructor, and the reasons with which its calls revert.
 * The coding is that of ethers; its errors become DomainErrors that name what was expected.
 */
import {
  AbiCoder,
  type ConstructorFragment,
  type ErrorFragment,
  Fragment,
  type FunctionFragment,
  Interface,
  type ParamType,
} from 'ethers/abi';
import { DomainError } from '#platform/foundation';
import { fromHex, toHex } from '../bytes/hex.ts';

const CODER = AbiCoder.defaultAbiCoder();
const REASON_CHARACTERS_MAX = 256;
/** `Error(string)` and `Panic(uint256)`, which the compiler itself uses. */
const BUILT_IN = new Interface(['error Error(string message)', 'error Panic(uint256 code)']);

/** https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require */
const PANICS: Readonly<Record<string, string>> = {
  '0x01': 'assertion failed',
  '0x11': 'arithmetic overflow or underflow',
  '0x12': 'division by zero',
  '0x21': 'invalid enum value',
  '0x22': 'invalid storage byte array',
  '0x31': 'pop of an empty array',
  '0x32': 'index out of bounds',
  '0x41': 'too much memory allocated',
  '0x51': 'call of an uninitialized function',
};

/** One function of a contract. */
export class ContractFunction {
  /** `mint(address,uint256)` */
  readonly signature: string;
  /** The whole declaration: `function mint(address to, uint256 id)`. */
  readonly declaration: string;
  /** Whether a call changes nothing, and needs no transaction. */
  readonly isRead: boolean;
  readonly #fragment: FunctionFragment;
  readonly #selector: Uint8Array;

  constructor(fragment: FunctionFragment) {
    this.#fragment = fragment;
    this.#selector = fromHex(fragment.selector);
    this.signature = fragment.format('sighash');
    this.declaration = fragment.format('full');
    this.isRead = fragment.constant;
  }

  /** The names of its parameters, empty for one without. */
  get parameters(): readonly string[] {
    return this.#fragment.inputs.map(({ name }) => name);
  }

  /** Selector and arguments. Throws INVALID_REQUEST for values that do not fit. */
  encode(values: readonly unknown[]): Uint8Array {
    return Buffer.concat([this.#selector, encoded(this.#fragment.inputs, values)]);
  }

  /** The returned values as plain texts, numbers and lists. Throws INVALID_REQUEST for other data. */
  decode(data: Uint8Array): readonly unknown[] {
    try {
      return CODER.decode(this.#fragment.outputs, data).toArray(true).map(plainOf);
    } catch (error) {
      throw misfit(error, `${toHex(data.subarray(0, 64))} is no result of ${this.signature}`);
    }
  }
}

/** The interface of a contract, from the entries of its ABI: JSON objects, or lines in Solidity. */
export class ContractAbi {
  readonly #functions: readonly FunctionFragment[];
  readonly #creation: ConstructorFragment | undefined;
  readonly #errors: Interface;

  /** Throws INVALID_REQUEST for an entry that is no declaration. */
  constructor(entries: readonly unknown[]) {
    const fragments = entries.map(fragmentOf);
    this.#functions = fragments.filter((one): one is FunctionFragment => one.type === 'function');
    this.#creation = fragments.find((one): one is ConstructorFragment => one.type === 'constructor');
    this.#errors = new Interface(fragments.filter(({ type }) => type === 'error'));
  }

  /** Declarations of the errors, from which another thread or process decodes reasons. */
  get errors(): readonly string[] {
    return this.#errors.fragments.map((fragment) => fragment.format('full'));
  }

  /**
   * The function with this name, or signature such as `mint(address,uint256)`; a signature needs no entry.
   * Entries of one signature are one function, the first. Throws INVALID_REQUEST if there is none, or more
   * than one of this name.
   */
  function(name: string): ContractFunction {
    const found = this.#functions.filter((one) => one.name === name || one.format('sighash') === name);
    const [first] = found;
    const signatures = new Set(found.map((one) => one.format('sighash')));
    if (first !== undefined && signatures.size === 1) return new ContractFunction(first);
    const choices = [...signatures].join(' or ');
    if (found.length > 1) throw invalid(`expected one function, got several of this name: ${choices}`);
    if (name.includes('(')) return new ContractFunction(fragmentOf(asFunction(name)) as FunctionFragment);
    throw invalid(`expected a function of the ABI, or a signature such as ${name}(uint256)`);
  }

  /** The constructor's arguments, which follow the creation code. Throws INVALID_REQUEST. */
  encodeConstructor(values: readonly unknown[]): Uint8Array {
    return encoded(this.#creation?.inputs ?? [], values);
  }

  /** The reason in the data of a failed execution, of which every byte is foreign. */
  reasonOf(data: Uint8Array): string {
    if (data.length === 0) return 'no reason given';
    return reasonBy(BUILT_IN, data) ?? reasonBy(this.#errors, data) ?? `unknown error ${shortHex(data)}`;
  }
}

function reasonBy(known: Interface, data: Uint8Array): string | undefined {
  try {
    const parsed = known.parseError(data);
    if (parsed === null) return undefined;
    const values = parsed.args.toArray(true).map(plainOf);
    return cleaned(textOfError(parsed.fragment, values));
  } catch {
    // The selector is known, and what follows is cut off or false: ethers throws errors of many classes.
    return undefined;
  }
}

function textOfError({ name }: ErrorFragment, values: readonly unknown[]): string {
  if (name !== 'Panic') return `${name}(${values.map((value) => JSON.stringify(value)).join(', ')})`;
  const code = `0x${BigInt(String(values[0])).toString(16).padStart(2, '0')}`;
  return `Panic(${code}): ${PANICS[code] ?? 'unknown code'}`;
}

/** One bounded line. */
function cleaned(text: string): string {
  const line = text.slice(0, REASON_CHARACTERS_MAX).replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ');
  return line.toWellFormed();
}

function fragmentOf(entry: unknown): Fragment {
  const expected = 'expected a declaration of an ABI, as JSON or as a line of Solidity';
  if (typeof entry !== 'string' && (typeof entry !== 'object' || entry === null)) throw invalid(expected);
  try {
    return Fragment.from(entry);
  } catch (error) {
    throw misfit(error, `${expected}, got ${JSON.stringify(entry).slice(0, REASON_CHARACTERS_MAX)}`);
  }
}

function asFunction(signature: string): string {
  return /^\s*function\s/.test(signature) ? signature : `function ${signature}`;
}

function encoded(inputs: readonly ParamType[], values: readonly unknown[]): Uint8Array {
  const wanted = inputs.map((input) => input.format('full')).join(', ');
  if (values.length !== inputs.length) {
    throw invalid(`expected ${inputs.length} arguments (${wanted}), got ${values.length}`);
  }
  try {
    const shaped = inputs.map((input, at) => shapedAs(input, values[at]));
    return fromHex(CODER.encode(inputs, shaped));
  } catch (error) {
    throw misfit(error, `expected arguments for (${wanted})`);
  }
}

/** Structs as lists. Any value that is no boolean would be one: the text `false` is true. */
function shapedAs(type: ParamType, value: unknown): unknown {
  const { baseType, arrayChildren, components } = type;
  if (baseType === 'bool' && typeof value !== 'boolean') throw invalid('expected true or false for a bool');
  if (arrayChildren !== null && Array.isArray(value)) return value.map((one) => shapedAs(arrayChildren, one));
  if (components === null || typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const isList = Array.isArray(value);
  if (Object.keys(members).length !== components.length) throw invalid(`expected ${type.format('full')}`);
  return components.map((component, at) => shapedAs(component, members[isList ? at : component.name]));
}

/** Amounts are texts, since JSON has no large numbers. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return Array.isArray(value) ? value.map(plainOf) : value;
}

function shortHex(data: Uint8Array): string {
  const bytes = 36;
  return data.length <= bytes ? toHex(data) : `${toHex(data.subarray(0, bytes))}…`;
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_REQUEST', message);
}

/** ethers throws errors of many classes, some of which repeat the value. */
function misfit(cause: unknown, expected: string): DomainError {
  if (cause instanceof DomainError) return cause;
  const { shortMessage, argument } = cause as { readonly shortMessage?: string; readonly argument?: string };
  const said = shortMessage ?? (cause instanceof Error ? cause.message : '');
  const why = said.replace(/ \(argument=.*$/s, '');
  const where = argument === undefined ? '' : ` at ${argument}`;
  return new DomainError('INVALID_REQUEST', cleaned(`${expected}: ${why}${where}`), { cause });
}
