/** The minimum of node:http and undici that forwards a request: no routes, limits, retries or counters. */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 256, pipelining: 1 });

createServer((request, response) => {
  pool.dispatch(
    { path: request.url ?? '/', method: request.method as 'GET', headers: request.rawHeaders, body: null },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, headers) => {
        response.writeHead(status, headers as Record<string, string>);
      },
      onResponseData: (_controller, chunk) => {
        response.write(chunk);
      },
      onResponseEnd: () => {
        response.end();
      },
      onResponseError: () => {
        response.destroy();
      },
    },
  );
}).listen(port, '127.0.0.1');
