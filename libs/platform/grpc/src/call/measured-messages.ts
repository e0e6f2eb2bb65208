import type { AnyDefinition, PackageDefinition, ServiceDefinition } from '@grpc/proto-loader';
import { DomainError } from '#platform/foundation';
import { countParts, type MessageShape, messageShapes, TooManyParts } from './message-parts.ts';

/** The size of a received message. */
export interface MessageSize {
  readonly bytes: number;
  /** Number of nested messages. */
  readonly parts: number;
}

/** Takes the place of a message that is not decoded. */
export class RefusedMessage {
  readonly error: DomainError;

  constructor(error: DomainError) {
    this.error = error;
  }
}

const sizes = new WeakMap<object, MessageSize>();

export function sizeOf(message: object): MessageSize {
  return sizes.get(message) ?? { bytes: 0, parts: 0 };
}

/**
 * The same services with measured requests. A malformed message, and one with more than `partsMax` nested
 * messages, becomes a {@link RefusedMessage}: gRPC would report a server error.
 */
export function measured(definition: PackageDefinition, partsMax: number): PackageDefinition {
  const shapes = messageShapes(definition);
  return Object.fromEntries(
    Object.entries(definition).map(([name, part]) => {
      const scope = name.slice(0, name.lastIndexOf('.'));
      return [name, isService(part) ? measuredService(part, { shapes, scope, partsMax }) : part];
    }),
  );
}

function isService(part: AnyDefinition): part is ServiceDefinition {
  return !('format' in part);
}

interface Measure {
  readonly shapes: ReadonlyMap<string, MessageShape>;
  /** The package of the service. */
  readonly scope: string;
  readonly partsMax: number;
}

function measuredService(service: ServiceDefinition, measure: Measure): ServiceDefinition {
  const { shapes, scope, partsMax } = measure;
  const methods = Object.entries(service).map(([name, method]) => {
    const { name: type } = method.requestType.type as { readonly name: string };
    const shape = shapes.get(`${scope}.${type}`) ?? new Map<number, MessageShape>();
    const requestDeserialize = (bytes: Buffer): object => {
      try {
        const parts = countParts(bytes, shape, partsMax);
        const message = method.requestDeserialize(bytes);
        sizes.set(message, { bytes: bytes.length, parts });
        return message;
      } catch (error) {
        return new RefusedMessage(refusal(error, method.path.slice(1), partsMax));
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(methods);
}

function refusal(error: unknown, method: string, partsMax: number): DomainError {
  return error instanceof TooManyParts
    ? new DomainError('BODY_TOO_LARGE', `message: expected at most ${partsMax} values and records`)
    : new DomainError('INVALID_REQUEST', `message: expected a request of ${method}`);
}
