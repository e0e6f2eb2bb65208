import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Decision } from '#platform/auth';
import { callFailureOf } from './call-failure.ts';

/** A call whose caller is checked: its method as `package.Service/Method`, and its key's header. */
export interface CheckedCall {
  readonly method: string;
  readonly authorization: string | undefined;
}

/**
 * Checks the caller of each call before a message is read, and again before each message: a key may end while
 * a stream is open. For servers without a gate of their own.
 */
export function admitCalls(decide: (call: CheckedCall) => Decision): ServerInterceptor {
  return ({ path }, base) => {
    const method = path.replace(/^\//, '');
    let authorization: string | undefined;
    const passes = (): boolean => {
      const { fault } = decide({ method, authorization });
      if (fault !== undefined) base.sendStatus(callFailureOf(fault, undefined));
      return fault === undefined;
    };
    return new ServerInterceptingCall(base, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            authorization = headerOf(metadata);
            if (passes()) pass(metadata);
          },
          onReceiveMessage: (message, pass) => {
            if (passes()) pass(message);
          },
        });
      },
    });
  };
}

function headerOf(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization');
  return typeof value === 'string' ? value : undefined;
}
