import { runtimeFault } from '../../syntax/fault.ts';

/** A text, a map or a number that makes no temporal value. */
export function temporalFault(message: string): Error {
  return runtimeFault('InvalidArgumentValue', 'Neo.ClientError.Statement.ArgumentError', message);
}
