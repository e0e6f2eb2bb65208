/**
 * A minimal collector: receives spans over OTLP/HTTP (JSON), and prints them as trees.
 *
 *   node samples/trace-printer.mjs [port]     default 4318
 */
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';

const BYTES_MAX = 16 * 2 ** 20;
const NS_PER_MS = 1_000_000n;

/** All spans of a body, each with the name of its service. */
function spansOf({ resourceSpans = [] }) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '?';
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });
}

/** Lines of those spans whose parents are these, earliest first. */
function treeOf(spans, parents, depth = 0) {
  const byStart = (a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1);
  return [...parents].sort(byStart).flatMap((span) => {
    const ns = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
    const ms = `${ns / NS_PER_MS}.${String(ns % NS_PER_MS)
      .padStart(6, '0')
      .slice(0, 3)} ms`;
    const fault = span.status?.code === 2 ? ' FAILED' : '';
    const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
    const line = `${span.service.padEnd(13)}${'  '.repeat(depth)}${span.name}  ${ms}${fault}`;
    return [line, ...treeOf(spans, children, depth + 1)];
  });
}

function print(body) {
  const spans = spansOf(body);
  const known = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
  process.stdout.write(`${treeOf(spans, roots).join('\n')}\n`);
}

const server = createServer((request, response) => {
  const chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json');
    try {
      print(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    } catch {
      response.statusCode = 400;
    }
    response.end('{}');
  });
});
server.listen(Number(process.argv[2] ?? '4318'), '127.0.0.1', () => {
  process.stdout.write(`waiting for spans on http://127.0.0.1:${server.address().port}\n`);
});
