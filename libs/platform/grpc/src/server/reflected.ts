/**
 * File descriptors in the form of protoc. Those of proto-loader name map entries by their field only, which
 * Go's loader (and so grpcurl) rejects, use relative type names, and turn each optional field into a oneof.
 */
import type { PackageDefinition } from '@grpc/proto-loader';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { assert } from '#platform/foundation';

interface FileShape {
  readonly name: string;
  readonly package: string;
  readonly messageType?: readonly MessageShape[];
  readonly enumType?: readonly NamedShape[];
}

interface NamedShape {
  readonly name: string;
}

interface MessageShape extends NamedShape {
  readonly field?: readonly FieldShape[];
  readonly nestedType?: readonly MessageShape[];
  readonly enumType?: readonly NamedShape[];
  readonly oneofDecl?: readonly NamedShape[];
  readonly options?: { readonly mapEntry?: boolean };
}

interface FieldShape extends NamedShape {
  readonly typeName?: string;
  readonly oneofIndex?: number;
  readonly proto3Optional?: boolean;
  readonly jsonName?: string;
}

/**
 * The files of a definition for a reflection service. Load the definition with `keepCase`: names stay as in
 * the file.
 */
export function reflected(definition: PackageDefinition): PackageDefinition {
  const files = new Map<string, Buffer>();
  for (const part of Object.values(definition)) {
    if (!('format' in part)) continue;
    for (const bytes of part.fileDescriptorProtos as readonly Buffer[]) {
      const file = plainFile(bytes);
      if (!files.has(file.name)) files.set(file.name, encoded(completed(file)));
    }
  }
  const fileDescriptorProtos = [...files.values()];
  return Object.fromEntries(
    Object.entries(definition).flatMap(([name, part]) =>
      'format' in part ? [[name, { ...part, fileDescriptorProtos } as typeof part]] : [],
    ),
  );
}

function plainFile(bytes: Uint8Array): FileShape {
  const { FileDescriptorProto } = descriptor;
  const file: unknown = FileDescriptorProto.toObject(FileDescriptorProto.decode(bytes));
  return file as FileShape;
}

function encoded(file: FileShape): Buffer {
  const { FileDescriptorProto } = descriptor;
  return Buffer.from(FileDescriptorProto.encode(FileDescriptorProto.fromObject({ ...file })).finish());
}

function completed(file: FileShape): FileShape {
  const scope = `.${file.package}`;
  const types = namesIn([file.messageType, file.enumType], scope);
  return {
    ...file,
    messageType: (file.messageType ?? []).map((each) => completedMessage(each, scope, types)),
  };
}

type Types = ReadonlyMap<string, string>;

/** Full names, by the names used in a scope. */
function namesIn(lists: readonly (readonly NamedShape[] | undefined)[], scope: string): Types {
  const named = lists.flatMap((list) => list ?? []);
  return new Map(named.map(({ name }) => [name, `${scope}.${name}`]));
}

function completedMessage(message: MessageShape, outer: string, outerTypes: Types): MessageShape {
  const scope = `${outer}.${message.name}`;
  const { field = [], nestedType = [], enumType, oneofDecl = [] } = message;
  const entries = new Map(
    field
      .map(({ name }) => [upperFirst(name), `${camelCase(upperFirst(name))}Entry`] as const)
      .filter(([name]) =>
        nestedType.some((nested) => nested.name === name && nested.options?.mapEntry === true),
      ),
  );
  const nested = nestedType.map((each) => ({ ...each, name: entries.get(each.name) ?? each.name }));
  const types: Types = new Map([
    ...outerTypes,
    ...namesIn([nestedType, enumType], scope),
    ...Array.from(entries, ([name, entry]) => [name, `${scope}.${entry}`] as const),
  ]);
  const isOptional = ({ oneofIndex = -1 }: FieldShape): boolean =>
    oneofDecl[oneofIndex]?.name.startsWith('_') === true;
  return {
    ...message,
    field: field.map((each) => ({
      ...each,
      jsonName: camelCase(each.name),
      ...(each.typeName !== undefined && { typeName: fullName(each.typeName, types) }),
      ...(isOptional(each) && { proto3Optional: true }),
    })),
    nestedType: nested.map((each) => completedMessage(each, scope, types)),
  };
}

function fullName(name: string, types: Types): string {
  const full = name.startsWith('.') ? name : types.get(name);
  assert(full !== undefined, `the protocol has no type ${name}`);
  return full;
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `impacted_by_class` as `impactedByClass`. */
function camelCase(name: string): string {
  return name.replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}
