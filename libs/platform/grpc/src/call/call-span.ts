import { type Metadata, status } from '@grpc/grpc-js';
import { isTracing, type Span, startSpan } from '#platform/observability';

/** Of these the server is at fault, or the way to it; of all others the caller is. */
const FAILURES: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.UNIMPLEMENTED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/**
 * The span of a call, part of its client's trace if its metadata name one; undefined without tracing. Only
 * methods that the server has come here, so that its name is ours.
 */
export function startCallSpan(method: string, metadata: Metadata): Span | undefined {
  if (!isTracing()) return undefined;
  const [service, name] = method.split('/');
  const [traceparent, ...more] = metadata.get('traceparent');
  return startSpan(method, {
    kind: 'server',
    isRoot: true,
    parent: typeof traceparent === 'string' && more.length === 0 ? traceparent : undefined,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': name },
  });
}

export function endCallSpan(span: Span | undefined, code: status): void {
  span?.set({ 'rpc.grpc.status_code': code });
  if (FAILURES.has(code)) span?.fail(status[code]);
  span?.end();
}
