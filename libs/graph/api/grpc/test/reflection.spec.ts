import { describe, expect, it } from '@jest/globals';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { reflectedProtos } from '#graph/api/grpc';

interface Field {
  readonly name: string;
  readonly jsonName: string;
  readonly typeName?: string;
  readonly proto3Optional?: boolean;
}

interface MessageType {
  readonly name: string;
  readonly field: readonly Field[];
  readonly nestedType?: readonly (MessageType & { readonly options?: { readonly mapEntry?: boolean } })[];
}

interface File {
  readonly package: string;
  readonly messageType: readonly MessageType[];
}

const FILES = new Map(
  Object.values(reflectedProtos())
    .flatMap((part) => ('format' in part ? (part.fileDescriptorProtos as readonly Buffer[]) : []))
    .map((bytes) => {
      const { FileDescriptorProto } = descriptor;
      const plain: unknown = FileDescriptorProto.toObject(FileDescriptorProto.decode(bytes));
      const file = plain as File;
      return [file.package, file] as const;
    }),
);

const messages = [...FILES.values()].flatMap((file) =>
  file.messageType.map((message) => ({ ...message, scope: `.${file.package}.${message.name}` })),
);

/** protoc's rule: the entry message is named after its field. */
const entryName = ({ jsonName }: Field): string =>
  `${jsonName.charAt(0).toUpperCase()}${jsonName.slice(1)}Entry`;

describe('reflection', () => {
  it('lists both services', () => {
    expect([...FILES.keys()].sort()).toEqual(['grpc.health.v1', 'plexus.graph.v1']);
  });

  it('gives the full name of each type', () => {
    const names = new Set(
      messages.flatMap(({ scope, nestedType = [] }) => [
        scope,
        ...nestedType.map(({ name }) => `${scope}.${name}`),
      ]),
    );
    const used = messages.flatMap(({ field = [], nestedType = [] }) =>
      [...field, ...nestedType.flatMap((nested) => nested.field)].flatMap(({ typeName }) => typeName ?? []),
    );

    const enumerations = ['NullValue', 'OnDangling', 'SyncMode', 'Direction', 'ChangeKind'].map(
      (name) => `.plexus.graph.v1.${name}`,
    );
    const known = new Set([...names, ...enumerations, '.grpc.health.v1.HealthCheckResponse.ServingStatus']);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
    expect(used.length).toBeGreaterThan(50);
  });

  it('names map entries as Go’s loader requires', () => {
    const maps = messages.flatMap(({ scope, field = [], nestedType = [] }) =>
      field.flatMap((each) => {
        const entry = nestedType.find(({ name }) => each.typeName === `${scope}.${name}`);
        return entry?.options?.mapEntry === true ? [[entry.name, entryName(each)]] : [];
      }),
    );

    expect(maps).toEqual(maps.map(([, name]) => [name, name]));
    expect(maps.map(([name]) => name)).toContain('ImpactedByClassEntry');
  });

  it('keeps the field names of the file, and marks optional fields', () => {
    const fields = messages.find(({ name }) => name === 'QueryRequest')?.field ?? [];

    expect(
      fields.map(({ name, jsonName, proto3Optional = false }) => [name, jsonName, proto3Optional]),
    ).toEqual([
      ['pql', 'pql', false],
      ['params', 'params', false],
      ['include_deleted', 'includeDeleted', false],
      ['timeout_ms', 'timeoutMs', true],
      ['as_of', 'asOf', true],
    ]);
  });
});
