/** The keys of the reads beside the load. */
import { array, integer, number, object, oneOf, optional, required, string } from '#platform/config';
import { CALL_ARGUMENTS, CONTRACT_NAME, FUNCTION } from './contract-shape.ts';

export const READ_KINDS = ['balance', 'call', 'logs', 'method'] as const;

const READ = object({
  name: required(CONTRACT_NAME, 'its name in reports'),
  kind: required(
    oneOf(READ_KINDS),
    '`balance`: eth_getBalance of an account of the run; `call`: eth_call of a function; `logs`: eth_getLogs of ' +
      'the latest blocks; `method`: another method',
  ),
  rate: required(number({ min: 0, max: 1_000_000 }), 'requests per second of all edges together'),
  contract: optional(CONTRACT_NAME, 'for calls, and for logs: the contract'),
  function: optional(FUNCTION, 'for calls: its function by name or signature'),
  args: optional(CALL_ARGUMENTS, 'for calls: the arguments, computed as in the mix'),
  blocks: optional(integer({ min: 1, max: 1_000_000 }), 'for logs: the number of blocks; default 10'),
  method: optional(
    string(
      'the name of a method that reads',
      /^(?!eth_send|timeboost_|personal_)[a-z][a-z0-9]{0,31}_\w{1,64}$/,
    ),
    'for methods: its name; methods that send are refused',
  ),
  params: optional(CALL_ARGUMENTS, 'for methods: the parameters, which may be computed like arguments'),
});

export const READS = array(READ, { min: 0, max: 32 });
