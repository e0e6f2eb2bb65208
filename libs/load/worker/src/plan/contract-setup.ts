import { object, readDocument, record, required, type Shape, string } from '#platform/config';

/** What the hive created and called before the load. */
export interface ContractSetup {
  /** The addresses of all contracts by name. */
  readonly contracts: Readonly<Record<string, string>>;
  /** What the named steps returned. */
  readonly results: Readonly<Record<string, readonly unknown[]>>;
}

export const NO_SETUP: ContractSetup = { contracts: {}, results: {} };

const RESULTS_MAX = 256;

const ANY_LIST: Shape<readonly unknown[]> = {
  expects: 'a list',
  read: (value, at) => {
    if (Array.isArray(value)) return value as readonly unknown[];
    at.faults.push({ path: at.path, message: 'expected a list' });
    return undefined;
  },
};
const NAME = string('a name', /^\w{1,64}$/);

const SETUP: Shape<ContractSetup> = object({
  contracts: required(record(NAME, string('an address', /^0x[0-9a-f]{40}$/), { max: 32 }), 'addresses'),
  results: required(record(NAME, ANY_LIST, { max: RESULTS_MAX }), 'returned values'),
});

/** The setup in a `MakeReady`; empty for a run without contracts. Throws INVALID_CONFIG. */
export function parseContractSetup(json: string): ContractSetup {
  return json === '' ? NO_SETUP : readDocument(SETUP, JSON.parse(json), 'setup');
}
