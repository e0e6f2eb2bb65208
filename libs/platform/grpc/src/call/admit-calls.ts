import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Caller, Decision, Refusal } from '#platform/auth';
import { type Soon, whenThere } from '#platform/foundation';
import { callFailureOf } from './call-failure.ts';
import type { AdmittedCall } from './call-gate.ts';

/** A call whose caller is checked: its method as `package.Service/Method`, its key's header, and its peer. */
export interface CheckedCall {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly from: string;
}

export interface CallChecks {
  readonly decide: (call: CheckedCall) => Soon<Decision>;
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
    let hasEnded = false;
    let unfollow = (): void => undefined;
    const end = (): void => {
      hasEnded = true;
      unfollow();
    };
    const send = base.sendStatus.bind(base);
    base.sendStatus = (sent) => {
      end();
      send(sent);
    };
    const refuse = (fault: Refusal): void => base.sendStatus(callFailureOf(fault, undefined));
    const whenAdmitted = (next: (caller: Caller) => void): void => {
      void whenThere(decide({ method, authorization, from: base.getPeer() }), ({ fault, caller }) => {
        if (hasEnded) return;
        if (fault === undefined) next(caller);
        else refuse(fault);
      });
    };
    return new ServerInterceptingCall(base, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            authorization = headerOf(metadata);
            whenAdmitted((caller) => {
              unfollow = follow({ method, caller }, refuse);
              pass(metadata);
            });
          },
          onReceiveMessage: (message, pass) => whenAdmitted(() => pass(message)),
          onCancel: end,
        });
      },
    });
  };
}

function headerOf(metadata: Metadata): string | undefined {
  const [value] = metadata.get('authorization');
  return typeof value === 'string' ? value : undefined;
}
