import {
  Ber,
  type BerWriter,
  BindRequest,
  Control,
  ExtendedRequest,
  FilterParser,
  PagedResultsControl,
  SearchRequest,
  UnbindRequest,
} from 'ldapts';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { DomainError } from '#platform/foundation';
import { answerFault } from '../answer-limit.ts';
import { type Entry, LDAP_RESULT, LdapMessages, type LdapReply, type LdapResult } from './ldap-message.ts';
import { refusal } from './ldap-refusal.ts';

const START_TLS = '1.3.6.1.4.1.1466.20037';
const PORT = 389;
const SECURE_PORT = 636;
const SECOND_MS = 1_000;

export interface LdapSearchRequest {
  readonly base: string;
  readonly scope: 'base' | 'one' | 'sub';
  readonly filter: string;
  readonly attributes: readonly string[];
  readonly page?: { readonly size: number; readonly cookie: Buffer };
  /** Asks for security descriptors without the part that only administrators may read. */
  readonly hasDescriptors?: boolean;
}

/** The complete answer to a search. */
export interface LdapAnswer {
  readonly entries: readonly Entry[];
  /** Other servers that have further entries. */
  readonly references: readonly string[];
  /** The cookie that requests the next page; empty after the last page. */
  readonly cookie: Buffer;
}

/** Owner, group and access list, without the audit list (MS-ADTS 3.1.1.3.4.1.11). */
class DescriptorPartsControl extends Control {
  constructor() {
    super('1.2.840.113556.1.4.801', { critical: true });
  }

  protected override writeControl(writer: BerWriter): void {
    // A sequence with the integer 7.
    writer.writeBuffer(Buffer.of(0x30, 0x03, 0x02, 0x01, 0x07), Ber.OctetString);
  }
}

interface Waiting {
  readonly id: number;
  readonly operation: number;
  readonly entries: Entry[];
  readonly references: string[];
  readonly ended: (result: LdapResult) => void;
}

/**
 * One connection to a directory server, for one request at a time. The first failure closes it: another
 * connection would be without TLS and login. A request that the server refuses leaves it open.
 */
export class LdapConnection {
  readonly #timeoutMs: number;
  #socket: Socket;
  #messages = new LdapMessages();
  #receivedBytes = 0;
  #lastId = 0;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  /** Ends the running request or handshake; set while there is one. */
  #onFailure: ((error: Error) => void) | undefined;
  readonly #connected: Promise<void>;

  /** Starts to connect. `timeoutMs` is the limit of each request and handshake. */
  constructor(url: URL, tls: ConnectionOptions, timeoutMs: number) {
    const isSecure = url.protocol === 'ldaps:';
    const port = url.port === '' ? (isSecure ? SECURE_PORT : PORT) : Number(url.port);
    const host = hostOf(url);
    this.#timeoutMs = timeoutMs;
    this.#socket = isSecure ? connectTls({ ...tls, host, port }) : connectTcp({ host, port });
    this.#listen();
    this.#connected = this.#event(isSecure ? 'secureConnect' : 'connect');
  }

  /** Resolves when requests can be sent. */
  async open(): Promise<void> {
    await this.#inTime('Connection timeout', this.#connected);
  }

  /** The certificate must match the host of the URL. */
  async startTls(url: URL, tls: ConnectionOptions): Promise<void> {
    const request = new ExtendedRequest({ messageId: this.#nextId(), oid: START_TLS });
    await this.#request(request, LDAP_RESULT.extended);
    // Bytes that arrived in clear text are not read as if they were encrypted.
    this.#messages = new LdapMessages();
    this.#socket.off('data', this.#receive);
    this.#socket = connectTls({ ...tls, host: hostOf(url), socket: this.#socket });
    this.#listen();
    await this.#inTime('Connection timeout', this.#event('secureConnect'));
  }

  async bind(dn: string, password: string): Promise<void> {
    await this.#request(new BindRequest({ messageId: this.#nextId(), dn, password }), LDAP_RESULT.bind);
  }

  /** Throws the refusal of the server, also for an answer cut by a limit of the server. */
  async search(search: LdapSearchRequest): Promise<LdapAnswer> {
    const { base: baseDN, scope, filter, attributes, page, hasDescriptors = false } = search;
    const request = new SearchRequest({
      messageId: this.#nextId(),
      baseDN,
      scope,
      filter: FilterParser.parseString(filter),
      attributes: [...attributes],
      timeLimit: Math.ceil(this.#timeoutMs / SECOND_MS),
      controls: [
        ...(page === undefined ? [] : [new PagedResultsControl({ value: page })]),
        ...(hasDescriptors ? [new DescriptorPartsControl()] : []),
      ],
    });
    return this.#request(request, LDAP_RESULT.search);
  }

  /** Ends the connection; a running request fails. */
  close(): void {
    const isIdle = this.#failure === undefined && this.#onFailure === undefined;
    if (isIdle) this.#socket.end(new UnbindRequest({ messageId: this.#nextId() }).write());
    this.#fail(new DomainError('CONFLICT', 'the connection was ended'), isIdle);
  }

  #nextId(): number {
    return ++this.#lastId;
  }

  #listen(): void {
    this.#socket
      .on('data', this.#receive)
      .on('error', (error) => this.#fail(error))
      .on('close', () => this.#fail(new Error('Connection closed before the answer was complete')));
  }

  #event(name: 'connect' | 'secureConnect'): Promise<void> {
    return new Promise((resolve) => void this.#socket.once(name, resolve));
  }

  async #request(
    message: { readonly messageId: number; write(): Buffer },
    operation: number,
  ): Promise<LdapAnswer> {
    const { promise, resolve: ended } = Promise.withResolvers<LdapResult>();
    const waiting: Waiting = { id: message.messageId, operation, entries: [], references: [], ended };
    this.#waiting = waiting;
    this.#receivedBytes = 0;
    if (this.#failure === undefined) this.#socket.write(message.write());
    const result = await this.#inTime('the answer timed out', promise);
    if (result.code !== 0) throw refusal(result.code, result.diagnostic);
    return { ...waiting, cookie: result.cookie };
  }

  /** The result of `work`, unless the connection fails before. Too late, it fails for this reason. */
  async #inTime<T>(reason: string, work: Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure;
    const failed = new Promise<never>((_resolve, reject) => {
      this.#onFailure = reject;
    });
    const timer = setTimeout(() => this.#fail(new DomainError('QUERY_TIMEOUT', reason)), this.#timeoutMs);
    try {
      return await Promise.race([work, failed]);
    } finally {
      clearTimeout(timer);
      this.#onFailure = undefined;
    }
  }

  #fail(error: Error, afterWrites = false): void {
    this.#failure ??= error;
    this.#waiting = undefined;
    if (afterWrites) this.#socket.destroySoon();
    else this.#socket.destroy();
    this.#onFailure?.(this.#failure);
  }

  readonly #receive = (chunk: Buffer): void => {
    this.#receivedBytes += chunk.length;
    const fault = answerFault(this.#receivedBytes);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    try {
      for (const reply of this.#messages.read(chunk)) this.#accept(reply);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  };

  /** Replies to no request are ignored, as RFC 4511 asks (§4.1.1). */
  #accept({ id, entry, references, result }: LdapReply): void {
    if (id === 0 && result !== undefined) throw refusal(result.code, result.diagnostic);
    const waiting = this.#waiting;
    if (waiting === undefined || waiting.id !== id) return;
    if (entry !== undefined) waiting.entries.push(entry);
    for (const url of references ?? []) waiting.references.push(url);
    if (result === undefined) return;
    if (result.operation !== waiting.operation) {
      throw new DomainError(
        'INVALID_REQUEST',
        'the server answered another operation than the requested one',
      );
    }
    this.#waiting = undefined;
    waiting.ended(result);
  }
}

/** An IPv6 address has brackets in URLs only. */
function hostOf({ hostname }: URL): string {
  return hostname === '' ? 'localhost' : hostname.replace(/^\[|\]$/g, '');
}
