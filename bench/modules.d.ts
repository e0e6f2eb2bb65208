/**
 * The parts of the peers' interfaces that the benchmarks use, so that the project type-checks without
 * installing them.
 */

declare module 'better-sqlite3' {
  export interface Statement<Row> {
    run(...values: readonly (string | number | null)[]): unknown;
    get(...values: readonly (string | number | null)[]): Row | undefined;
    all(...values: readonly (string | number | null)[]): Row[];
  }
  export default class Database {
    constructor(file: string, options?: { readonly?: boolean });
    pragma(source: string): unknown;
    exec(sql: string): unknown;
    prepare<Row>(sql: string): Statement<Row>;
    transaction<Values extends readonly unknown[]>(
      body: (...values: Values) => void,
    ): (...values: Values) => void;
    close(): void;
  }
}

declare module 'lmdb' {
  /** Resolves when committed; `flushed` when synced. */
  export interface Put extends Promise<boolean> {
    readonly flushed: Promise<boolean>;
  }
  export interface RootDatabase<Value, Key> {
    get(key: Key): Value | undefined;
    put(key: Key, value: Value): Put;
    /** Resolves when all earlier puts have been synced. */
    readonly flushed: Promise<boolean>;
    close(): Promise<void>;
  }
  export function open<Value, Key>(options: {
    readonly path: string;
    readonly mapSize: number;
    readonly separateFlushed: boolean;
    readonly sharedStructuresKey: string;
  }): RootDatabase<Value, Key>;
}

declare module '@ladybugdb/core-linux-x64' {
  export interface PreparedStatement {
    isSuccess(): boolean;
  }
  export interface QueryResult {
    getAll(): Promise<Record<string, unknown>[]>;
  }
  export class Database {
    constructor(path: string);
    close(): Promise<void>;
  }
  export class Connection {
    constructor(database: Database);
    query(cypher: string): Promise<QueryResult>;
    prepare(cypher: string): Promise<PreparedStatement>;
    execute(statement: PreparedStatement, values: Readonly<Record<string, unknown>>): Promise<QueryResult>;
    close(): Promise<void>;
  }
}

declare module 'graphology' {
  export class DirectedGraph<Attributes> {
    addNode(node: string, attributes: Attributes): void;
    addDirectedEdge(from: string | undefined, to: string | undefined, attributes: object): void;
    getNodeAttributes(node: string): Attributes;
    clear(): void;
  }
}

declare module 'graphology-shortest-path/unweighted.js' {
  import type { DirectedGraph } from 'graphology';
  export function bidirectional<Attributes>(
    graph: DirectedGraph<Attributes>,
    from: string,
    to: string,
  ): string[] | null;
}

declare module 'http-proxy-3' {
  import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
  export interface ProxyServer {
    web(request: IncomingMessage, response: ServerResponse): unknown;
  }
  export function createProxyServer(options: { readonly target: string; readonly agent: Agent }): ProxyServer;
}

declare module '@fastify/http-proxy' {
  import type { FastifyPluginAsync } from 'fastify';
  const proxy: FastifyPluginAsync<{ readonly upstream: string }>;
  export default proxy;
}

declare module 'viem/accounts' {
  export interface Eip1559Request {
    readonly type: 'eip1559';
    readonly chainId: number;
    readonly nonce: number;
    readonly gas: bigint;
    readonly maxFeePerGas: bigint;
    readonly maxPriorityFeePerGas: bigint;
    readonly to: string;
    readonly value: bigint;
  }
  export interface Account {
    readonly address: string;
    signTransaction(request: Eip1559Request): Promise<string>;
  }
  export function privateKeyToAccount(key: string): Account;
}

declare module 'viem' {
  export interface PublicClient {
    sendRawTransaction(request: { readonly serializedTransaction: string }): Promise<string>;
  }
  type Transport = object;
  export function http(
    url: string,
    options: { readonly timeout: number; readonly retryCount: number },
  ): Transport;
  export function createPublicClient(options: { readonly transport: Transport }): PublicClient;
}
