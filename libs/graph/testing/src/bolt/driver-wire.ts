/** PackStream as the driver of Neo4j writes and reads it: the other side of what is tested. */
import { createRequire } from 'node:module';

/** What the driver's own package has, and its types do not tell. */
interface DriverWire {
  readonly channel: { alloc(size: number): DriverBuffer };
  readonly packstream: {
    readonly v1: {
      readonly Packer: new (buffer: DriverBuffer) => { packable(value: unknown): () => void };
      readonly Unpacker: new (
        isLossy: boolean,
        isBigInt: boolean,
      ) => { unpack(buffer: DriverBuffer): unknown };
    };
    readonly structure: { readonly Structure: new (tag: number, fields: readonly unknown[]) => Structure };
  };
}

interface DriverBuffer {
  position: number;
  readonly _buffer: Buffer;
  hasRemaining(): boolean;
}

/** A structure: in a message its tag says which one it is. */
export interface Structure {
  readonly signature: number;
  readonly fields: readonly unknown[];
}

const wire = createRequire(import.meta.url)('neo4j-driver-bolt-connection') as DriverWire;

export function structure(tag: number, ...fields: readonly unknown[]): Structure {
  return new wire.packstream.structure.Structure(tag, fields);
}

/** Integers are bigints, floats numbers. */
export function packedByDriver(value: unknown, bytesMax = 2 ** 20): Buffer {
  const buffer = wire.channel.alloc(bytesMax);
  new wire.packstream.v1.Packer(buffer).packable(value)();
  return buffer._buffer.subarray(0, buffer.position);
}

/** The value, which takes all bytes. */
export function unpackedByDriver(bytes: Buffer): unknown {
  const buffer = wire.channel.alloc(bytes.length);
  bytes.copy(buffer._buffer);
  const value = new wire.packstream.v1.Unpacker(false, true).unpack(buffer);
  if (buffer.hasRemaining()) throw new Error('expected no bytes after the value');
  return value;
}
