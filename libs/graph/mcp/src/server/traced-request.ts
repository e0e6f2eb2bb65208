import { parseTraceParent, traced } from '#platform/observability';

interface McpRequest {
  readonly method: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> | undefined } | undefined;
}

/**
 * Runs a request of the protocol in a span of its own: a part of the trace that its `_meta` names, else of
 * the HTTP request that brought it. `tool` is the name of one that there is, not what a client has sent.
 */
export function tracedRequest<T>(
  { method, params }: McpRequest,
  work: () => Promise<T>,
  tool?: string,
): Promise<T> {
  const named = params?._meta?.['traceparent'];
  const isNamed = typeof named === 'string' && parseTraceParent(named) !== undefined;
  return traced(tool === undefined ? method : `${method} ${tool}`, work, {
    kind: 'server',
    parent: isNamed ? named : undefined,
    attributes: { 'mcp.method.name': method, 'gen_ai.tool.name': tool },
  });
}
