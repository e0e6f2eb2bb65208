import proxy from '@fastify/http-proxy';
import fastify from 'fastify';

const [port = 0, upstreamPort] = process.argv.slice(2).map(Number);
const server = fastify();
await server.register(proxy, { upstream: `http://127.0.0.1:${upstreamPort}` });
await server.listen({ port, host: '127.0.0.1' });
