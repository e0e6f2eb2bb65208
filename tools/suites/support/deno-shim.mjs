/** The part of Deno's interface that h1spec uses, over node:net. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';

globalThis.Deno = {
  args: process.argv.slice(2),
  exit: (code) => process.exit(code),
  connect: async ({ port }) => {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    let isClosed = false;
    return {
      write: (bytes) => new Promise((resolve) => socket.write(bytes, resolve)),
      read: async (buffer) => {
        const chunk = await next(socket);
        if (isClosed) throw new Error('closed');
        if (chunk === undefined) return null;
        return Buffer.from(chunk).copy(buffer);
      },
      close: () => {
        isClosed = true;
        socket.destroy();
      },
    };
  },
};

/** Undefined at the end. */
function next(socket) {
  return new Promise((resolve) => {
    socket.once('data', resolve);
    socket.once('close', () => resolve(undefined));
  });
}
