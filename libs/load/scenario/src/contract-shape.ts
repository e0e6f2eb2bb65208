/** The keys of contracts, of the setup, and of calls in the mix. */
import {
  array,
  integer,
  object,
  oneOf,
  optional,
  record,
  refuse,
  required,
  type Shape,
  string,
  withDefault,
} from '#platform/config';
import { wei } from './wei-shape.ts';

/** Creation code has at most 49,152 bytes on Ethereum (EIP-3860); some chains permit twice as many. */
const CODE_DIGITS_MAX = 2 * 2 * 49_152;
const ABI_ENTRIES_MAX = 2_000;
const VALUES_MAX = 1_000;
const DEPTH_MAX = 8;
export const GAS_LIMIT_MAX = 1_000_000_000;
export const CONTRACT_NAME = string('a name of letters, digits and _', /^[A-Za-z_]\w{0,63}$/);
const ADDRESS = string('an address', /^0x[0-9a-fA-F]{40}$/);
export const FUNCTION = string('a name or signature of a function', /^[\w$]{1,128}(?:\([^\0]{0,1024}\))?$/);

/** Values of a JSON document, without a limit to their kinds: the ABI determines what fits. */
function values(expects: string, max: number, isFit: (value: unknown) => boolean): Shape<readonly unknown[]> {
  return {
    expects,
    read: (value, at) => {
      const isList = Array.isArray(value) && value.length <= max && value.every(isFit);
      if (isList) return Object.freeze([...(value as readonly unknown[])]);
      refuse(at, expects);
      return undefined;
    },
  };
}

/** Whether a value and all within it are those of JSON, and few. */
function isPlain(value: unknown): boolean {
  let count = 0;
  const visit = (one: unknown, depth: number): boolean => {
    if (++count > VALUES_MAX || depth > DEPTH_MAX) return false;
    if (typeof one === 'number') return Number.isSafeInteger(one);
    if (typeof one !== 'object') return typeof one === 'string' || typeof one === 'boolean';
    return one !== null && Object.values(one).every((inner) => visit(inner, depth + 1));
  };
  return visit(value, 0);
}

const isEntry = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value));

export const CALL_ARGUMENTS = values(
  'a list of arguments: texts, whole numbers, true or false, lists and tables',
  64,
  isPlain,
);

export const CONTRACT = object({
  artifact: optional(
    string('a path', /^[^\0]{1,1024}$/),
    'JSON file of Foundry, Hardhat or solc, relative to the scenario, with ABI and bytecode; read by `plexus-hive run`, ' +
      'and not by the hive',
  ),
  bytecode: optional(
    string(
      'the creation code in hexadecimal, of at most 98,304 bytes, with all libraries linked',
      codePattern(),
    ),
    'instead of `artifact`: what creates the contract',
  ),
  abi: optional(
    values('a list of declarations, as JSON or as lines of Solidity', ABI_ENTRIES_MAX, isEntry),
    'instead of `artifact`: its functions, errors and constructor; calls by signature need none',
  ),
  args: withDefault(
    CALL_ARGUMENTS,
    [],
    'arguments of the constructor; `{ contract: name }` is the address of one above',
  ),
  value_wei: withDefault(wei(), '0', 'ether for the constructor'),
  at: optional(ADDRESS, 'the address of an existing contract, which is not created'),
  sends_ether: withDefault(
    oneOf(['unknown', 'never']),
    'unknown',
    '`never` states that calls of it send no ether to accounts of the run: an unexplained balance is then a violation; ' +
      'otherwise it is inconclusive',
  ),
});

function codePattern(): RegExp {
  return new RegExp(`^(?:0x)?(?:[0-9a-fA-F]{2}){1,${CODE_DIGITS_MAX / 2}}$`);
}

export const CONTRACTS = record(CONTRACT_NAME, CONTRACT, { max: 32 });

const SETUP_STEP = object({
  name: optional(CONTRACT_NAME, 'for `{ result: name }` in later arguments: what the function returned'),
  from: withDefault(
    oneOf(['funder', 'accounts']),
    'funder',
    'who calls: the funder once, or each account of the run once, which also pays',
  ),
  contract: required(CONTRACT_NAME, 'the called contract'),
  function: required(FUNCTION, 'its function by name, or by signature such as `mint(address,uint256)`'),
  args: withDefault(CALL_ARGUMENTS, [], 'the arguments; `account: self` is the caller'),
  value_wei: withDefault(wei(), '0', 'the ether sent with it'),
  gas_limit: optional(integer({ min: 21_000, max: GAS_LIMIT_MAX }), 'default: estimated'),
});

export const SETUP = array(SETUP_STEP, { min: 0, max: 256 });
