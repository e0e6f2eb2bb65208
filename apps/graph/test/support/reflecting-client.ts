import {
  ChannelCredentials,
  Client,
  type ClientDuplexStream,
  type GrpcObject,
  loadPackageDefinition,
  type Metadata,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Loads messages as proto3 JSON: 64-bit integers are text, unset fields are left out. */
const LOADING = { longs: String, enums: String };

const require = createRequire(import.meta.url);
const PROTOS = join(dirname(require.resolve('@grpc/reflection/package.json')), 'build/proto/grpc/reflection');

export type ReflectionVersion = 'v1' | 'v1alpha';

/** A client that learns the service from reflection only, like grpcurl. */
export class ReflectingClient {
  readonly #client: Client;
  readonly #metadata: Metadata;
  readonly #version: ReflectionVersion;

  constructor(address: string, metadata: Metadata, version: ReflectionVersion = 'v1') {
    this.#client = new Client(address, ChannelCredentials.createInsecure());
    this.#metadata = metadata;
    this.#version = version;
  }

  close(): void {
    this.#client.close();
  }

  /** `grpcurl … list` */
  async list(): Promise<readonly string[]> {
    const { listServicesResponse } = await this.#ask({ listServices: '*' });
    return (listServicesResponse?.service ?? []).map(({ name }) => name);
  }

  /** `grpcurl … describe <symbol>`: the contents of the symbol's file. */
  async describe(symbol: string): Promise<PackageDefinition> {
    return loadFileDescriptorSetFromBuffer(await this.descriptors(symbol), LOADING);
  }

  /** The same as the bytes of a FileDescriptorSet. */
  async descriptors(symbol: string): Promise<Buffer> {
    const { fileDescriptorResponse, errorResponse } = await this.#ask({ fileContainingSymbol: symbol });
    if (fileDescriptorResponse === undefined) throw new Error(errorResponse?.errorMessage);
    const files = fileDescriptorResponse.fileDescriptorProto;
    return Buffer.concat(files.flatMap((file) => [Buffer.from([0x0a, ...varint(file.length)]), file]));
  }

  /** `grpcurl -d <request> … <service>/<method>`: all replies. */
  async call(method: string, request: object): Promise<readonly object[]> {
    const [service = '', name = ''] = method.split('/');
    const definition = (await this.describe(service))[service];
    const found = definition === undefined || 'format' in definition ? undefined : definition[name];
    if (found === undefined) throw new Error(`no method ${method}`);
    const { path, requestSerialize, responseDeserialize } = found;
    const replies: object[] = [];
    const stream = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      renamed(withEntries(request), snakeCase) as object,
      this.#metadata,
    );
    for await (const reply of stream)
      replies.push(renamed(withoutZeros(reply as object), camelCase) as object);
    return replies;
  }

  /** Repeats a request on one stream; returns the number of answers. */
  async flood(times: number): Promise<number> {
    const stream = this.#stream();
    for (let asked = 0; asked < times; asked++) stream.write({ listServices: '*' });
    stream.end();
    return (await stream.toArray()).length;
  }

  async #ask(request: object): Promise<Reflection> {
    const stream = this.#stream();
    stream.write(request);
    stream.end();
    const replies: unknown[] = await stream.toArray();
    return replies[0] as Reflection;
  }

  #stream(): ClientDuplexStream<object, object> {
    const file = join(PROTOS, this.#version, 'reflection.proto');
    const definition = loadSync(file, { ...LOADING, oneofs: true });
    const names = ['grpc', 'reflection', this.#version, 'ServerReflection'];
    const { service } = names.reduce<unknown>(
      (owner, name) => (owner as GrpcObject)[name],
      loadPackageDefinition(definition),
    ) as ServiceClientConstructor;
    const method = service['ServerReflectionInfo'];
    if (method === undefined) throw new Error('no reflection');
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, this.#metadata);
  }
}

interface Reflection {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
  readonly errorResponse?: { readonly errorMessage: string };
}

/** Map fields of this service: by descriptor alone, their entries are a list of messages. */
const MAPS = ['fields', 'params', 'properties'];

function withEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withEntries);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => {
      const inner = withEntries(each) as object;
      return [
        field,
        MAPS.includes(field)
          ? Object.entries(inner).map(([key, item]) => ({ key, value: item as unknown }))
          : inner,
      ];
    }),
  );
}

/** JSON leaves out counts of zero. */
function withoutZeros(message: object): object {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== '0'));
}

/** Converts field names to their JSON form. Map keys are converted like fields: keep them short. */
function renamed(value: unknown, name: (field: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [name(field), renamed(each, name)]));
}

function camelCase(field: string): string {
  return field.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function varint(value: number): readonly number[] {
  return value > 0x7f ? [(value & 0x7f) | 0x80, ...varint(value >> 7)] : [value];
}
