/** The reads of an edge beside its load. */
import {
  array,
  integer,
  number,
  object,
  oneOf,
  optional,
  refuse,
  required,
  type Shape,
  string,
} from '#platform/config';

const READ_KINDS = ['balance', 'call', 'logs', 'method'] as const;

export interface ReadPlan {
  readonly name: string;
  readonly kind: (typeof READ_KINDS)[number];
  /** This edge's share, in requests per second. */
  readonly rate: number;
  /** The contract of a call, or of logs. */
  readonly contract?: string | undefined;
  /** `function price() view returns (uint256)` */
  readonly declaration?: string | undefined;
  /** Arguments of a call, or parameters of a method. */
  readonly args?: readonly unknown[] | undefined;
  /** Of logs. */
  readonly blocks?: number | undefined;
  readonly method?: string | undefined;
}

const NAME = string('a name', /^[A-Za-z_]\w{0,63}$/);
const ANY_VALUES: Shape<readonly unknown[]> = {
  expects: 'a list',
  read: (value, at) => (Array.isArray(value) ? (value as readonly unknown[]) : refuse(at, 'a list')),
};

const READ: Shape<ReadPlan> = object({
  name: required(NAME, 'name in reports'),
  kind: required(oneOf(READ_KINDS), 'what is read'),
  rate: required(number({ min: 0, max: 1_000_000 }), 'requests per second'),
  contract: optional(NAME, 'the contract'),
  declaration: optional(string('a declaration in Solidity', /^function\s[^\0]{1,8192}$/), 'the function'),
  args: optional(ANY_VALUES, 'arguments or parameters'),
  blocks: optional(integer({ min: 1, max: 1_000_000 }), 'number of blocks'),
  method: optional(
    string('a method', /^(?!eth_send|timeboost_|personal_)[a-z][a-z0-9]{0,31}_\w{1,64}$/),
    'the method',
  ),
});

export const READS: Shape<readonly ReadPlan[]> = array(READ, { min: 0, max: 32 });
