/** The minimum of node:net that forwards a connection. */
import { connect, createServer } from 'node:net';

const [port, upstreamPort = 0] = process.argv.slice(2).map(Number);

createServer({ noDelay: true }, (downstream) => {
  const upstream = connect({ port: upstreamPort, host: '127.0.0.1', noDelay: true });
  downstream.pipe(upstream).pipe(downstream);
  downstream.on('error', () => upstream.destroy());
  upstream.on('error', () => downstream.destroy());
}).listen(port, '127.0.0.1');
