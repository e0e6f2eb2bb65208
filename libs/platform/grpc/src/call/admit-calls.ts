import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Caller, Decision, Refusal } from '#platform/auth';
import { callFailureOf } from './call-failure.ts';
import type { AdmittedCall } from './call-gate.ts';

/** A call whose caller is checked: its method as `package.Service/Method`, and its key's header. */
export interface CheckedCall {
  readonly method: string;
  readonly authorization: string | undefined;
}

export interface CallChecks {
  readonly decide: (call: CheckedCall) => Decision;
  /** Calls `end` once the caller may go on no longer. Returns the function that ends the watch. */
  readonly follow: (admitted: AdmittedCall, end: (fault: Refusal) => void) => () => void;
}

/**
 * Checks the caller of each call before a message is read, and again before each message: a key may end while
 * a stream is open, which then ends. For servers without a gate of their own.
 */
export function admitCalls({ decide, follow }: CallChecks): ServerInterceptor {
  return ({ path }, base) => {
    const method = path.replace(/^\//, '');
    let authorization: string | undefined;
    let unfollow = (): void => undefined;
    const send = base.sendStatus.bind(base);
    base.sendStatus = (sent) => {
      unfollow();
      send(sent);
    };
    const refuse = (fault: Refusal): void => base.sendStatus(callFailureOf(fault, undefined));
    const admitted = (): Caller | undefined => {
      const { fault, caller } = decide({ method, authorization });
      if (fault === undefined) return caller;
      refuse(fault);
      return undefined;
    };
    return new ServerInterceptingCall(base, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            authorization = headerOf(metadata);
            const caller = admitted();
            if (caller === undefined) return;
            unfollow = follow({ method, caller }, refuse);
            pass(metadata);
          },
          onReceiveMessage: (message, pass) => {
            if (admitted() !== undefined) pass(message);
          },
          onCancel: () => unfollow(),
        });
      },
    });
  };
}

function headerOf(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization');
  return typeof value === 'string' ? value : undefined;
}
