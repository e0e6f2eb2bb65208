import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Decision, Refusal } from '#platform/auth';
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
  /** Does the work of a call whose caller may make it. */
  readonly within: (admitted: AdmittedCall, work: () => void) => void;
}

/**
 * Checks the caller of each call before a message is read, and again before each message: a key may end while
 * a stream is open, which then ends. For servers without a gate of their own.
 */
export function admitCalls({ decide, follow, within }: CallChecks): ServerInterceptor {
  return ({ path }, base) => {
    const method = path.replace(/^\//, '');
    let authorization: string | undefined;
    let admitted: AdmittedCall | undefined;
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
    const whenAdmitted = (next: (call: AdmittedCall) => void): void => {
      const peer = base.getPeer();
      void whenThere(decide({ method, authorization, from: peer }), ({ fault, caller }) => {
        if (hasEnded) return;
        if (fault !== undefined) {
          refuse(fault);
          return;
        }
        admitted = { method, peer, caller };
        next(admitted);
      });
    };
    return new ServerInterceptingCall(base, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            authorization = headerOf(metadata);
            whenAdmitted((call) => {
              unfollow = follow(call, refuse);
              within(call, () => pass(metadata));
            });
          },
          onReceiveMessage: (message, pass) => whenAdmitted((call) => within(call, () => pass(message))),
          // The handler of a unary call runs now: all its messages are there.
          onReceiveHalfClose: (pass) => {
            if (admitted !== undefined) within(admitted, pass);
          },
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
