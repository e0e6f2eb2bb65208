/** The upstream of every proxy: it answers any request with the same bytes, as cheaply as Node can. */
import { createServer } from 'node:net';

const BODY = 'x'.repeat(1_024);
const REPLY = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);
const REQUEST_END = Buffer.from('\r\n\r\n');

const server = createServer({ noDelay: true }, (socket) => {
  let tail: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    let seen = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
    for (let end = seen.indexOf(REQUEST_END); end >= 0; end = seen.indexOf(REQUEST_END)) {
      socket.write(REPLY);
      seen = seen.subarray(end + REQUEST_END.length);
    }
    tail = seen;
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.argv[2]), '127.0.0.1');
