/**
 * An LDAP server with scripted answers, byte for byte, for faults that no correct server produces. RFC 4511
 * in definite lengths, as far as a bind and a paged search need it.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

const OPERATION = { bind: 0x60, search: 0x63 } as const;
const PAGED_RESULTS = '1.2.840.113556.1.4.319';
const UNIVERSAL = { integer: 0x02, text: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;
const APPLICATION = { bindResponse: 0x61, entry: 0x64, searchDone: 0x65 } as const;
const CONTROLS = 0xa0;

/** The answers to one request, in order; `hang up` ends the connection. */
export type LdapAnswer = readonly (LdapReply | 'hang up')[];

export interface LdapReply {
  /** Encodes the message for the request's number. */
  readonly encode: (messageId: number) => Buffer;
}

export interface LdapScript {
  readonly bind?: LdapAnswer;
  /**
   * Answers to the first, second, … search of a connection, none to further ones. Or a function of the
   * request: its bytes as characters, which include the attribute names.
   */
  readonly searches: readonly LdapAnswer[] | ((request: string) => LdapAnswer);
}

export class ScriptedLdapServer {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;

  static async start(script: LdapScript): Promise<ScriptedLdapServer> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      answer(socket, script);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return new ScriptedLdapServer(server, sockets, port);
  }

  private constructor(server: Server, sockets: ReadonlySet<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `ldap://127.0.0.1:${port}`;
  }

  /** The number of connections since the start. */
  get connections(): number {
    return this.#sockets.size;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server.close(), 'close');
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

export function ldapBound(code = 0, diagnostic = ''): LdapReply {
  return { encode: (id) => message(id, result(APPLICATION.bindResponse, code, diagnostic)) };
}

export function ldapEntry(
  dn: string,
  attributes: Readonly<Record<string, readonly (Buffer | string)[]>>,
): LdapReply {
  const list = Object.entries(attributes).map(([name, values]) =>
    element(UNIVERSAL.sequence, text(name), element(UNIVERSAL.set, ...values.map(text))),
  );
  const body = element(APPLICATION.entry, text(dn), element(UNIVERSAL.sequence, ...list));
  return { encode: (id) => message(id, body) };
}

/** The end of a page; a cookie announces another page. */
export function ldapPageEnd(cookie = '', code = 0, diagnostic = ''): LdapReply {
  const page = element(UNIVERSAL.sequence, integer(0), text(cookie));
  const control = element(UNIVERSAL.sequence, text(PAGED_RESULTS), element(UNIVERSAL.text, page));
  const done = result(APPLICATION.searchDone, code, diagnostic);
  return { encode: (id) => message(id, done, element(CONTROLS, control)) };
}

/** An entry whose last attribute claims more bytes than the message has. */
export function ldapOverrunEntry(dn: string): LdapReply {
  const values = Buffer.of(UNIVERSAL.set, 0x84, 0x7f, 0xff, 0xff, 0xff);
  const attribute = element(UNIVERSAL.sequence, text('cn'), values);
  const body = element(APPLICATION.entry, text(dn), element(UNIVERSAL.sequence, attribute));
  return { encode: (id) => message(id, body) };
}

/** The first bytes of a message. */
export function cutShort(reply: LdapReply, bytes: number): LdapReply {
  return { encode: (id) => reply.encode(id).subarray(0, bytes) };
}

function answer(socket: Socket, { bind = [ldapBound()], searches }: LdapScript): void {
  let received = Buffer.alloc(0);
  let searched = 0;
  const answerTo = (operation: number, request: Buffer): LdapAnswer => {
    if (operation === OPERATION.bind) return bind;
    if (operation !== OPERATION.search) return [];
    return typeof searches === 'function'
      ? searches(request.toString('latin1'))
      : (searches[searched++] ?? []);
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (let size = sizeOf(received); size <= received.length; size = sizeOf(received)) {
      const { id, operation } = requestIn(received);
      const request = received.subarray(0, size);
      received = received.subarray(size);
      for (const reply of answerTo(operation, request)) {
        if (reply === 'hang up') socket.end();
        else socket.write(reply.encode(id));
      }
    }
  });
}

/** Length of the first element, header included; infinite while the header is incomplete. */
function sizeOf(bytes: Buffer): number {
  if (bytes.length < 2) return Infinity;
  const start = contentStart(bytes);
  if (bytes.length < start) return Infinity;
  const first = bytes.readUInt8(1);
  return start + (first < 0x80 ? first : bytes.readUIntBE(2, first & 0x7f));
}

function contentStart(bytes: Buffer): number {
  const first = bytes.readUInt8(1);
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function requestIn(bytes: Buffer): { readonly id: number; readonly operation: number } {
  const idElement = bytes.subarray(contentStart(bytes));
  const idBytes = idElement.readUInt8(1);
  return { id: idElement.readUIntBE(2, idBytes), operation: idElement.readUInt8(2 + idBytes) };
}

function message(id: number, ...parts: readonly Buffer[]): Buffer {
  return element(UNIVERSAL.sequence, integer(id), ...parts);
}

function result(tag: number, code: number, diagnostic: string): Buffer {
  return element(tag, element(UNIVERSAL.enumerated, Buffer.of(code)), text(''), text(diagnostic));
}

/** Encodes an integer from 0 to 32,767. */
function integer(value: number): Buffer {
  return element(UNIVERSAL.integer, Buffer.of(value >> 8, value & 0xff));
}

function text(value: Buffer | string): Buffer {
  return element(UNIVERSAL.text, typeof value === 'string' ? Buffer.from(value, 'utf8') : value);
}

/** Tag, length in two bytes, content. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, 0x82, content.length >> 8, content.length & 0xff), content]);
}
