import type { AnyDefinition, PackageDefinition, ServiceDefinition } from '@grpc/proto-loader';
import { DomainError } from '#platform/foundation';
import {
  countParts,
  type MessageShape,
  messageShapes,
  NO_FIELDS,
  NotUtf8,
  TooManyParts,
} from './message-parts.ts';

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
 * Services with measured requests. A malformed message, one with text that is not UTF-8, and one
 * with more than `partsMax` nested messages, becomes a {@link RefusedMessage}: gRPC would report a server
 * error.
 */
export function measured(definition: PackageDefinition, partsMax: number): PackageDefinition {
  return withRequests(definition, (method, shape) => (bytes) => {
    try {
      const parts = countParts(bytes, shape, partsMax);
      const message = method.requestDeserialize(bytes);
      sizes.set(message, { bytes: bytes.length, parts });
      return message;
    } catch (error) {
      return new RefusedMessage(refusal(error, method.path.slice(1), partsMax));
    }
  });
}

/** Services that throw when they decode a request with text that is not UTF-8. */
export function utf8Only(definition: PackageDefinition): PackageDefinition {
  return withRequests(definition, (method, shape) => (bytes) => {
    countParts(bytes, shape, Infinity);
    return method.requestDeserialize(bytes);
  });
}

type Method = ServiceDefinition[string];

function withRequests(
  definition: PackageDefinition,
  decoder: (method: Method, shape: MessageShape) => (bytes: Buffer) => object,
): PackageDefinition {
  const shapes = messageShapes(definition);
  const changed = (scope: string, service: ServiceDefinition): ServiceDefinition =>
    Object.fromEntries(
      Object.entries(service).map(([name, method]) => {
        const { name: type } = method.requestType.type as { readonly name: string };
        const requestDeserialize = decoder(method, shapes.get(`${scope}.${type}`) ?? NO_FIELDS);
        return [name, { ...method, requestDeserialize }] as const;
      }),
    );
  return Object.fromEntries(
    Object.entries(definition).map(([name, part]) => {
      const scope = name.slice(0, name.lastIndexOf('.'));
      return [name, isService(part) ? changed(scope, part) : part];
    }),
  );
}

function isService(part: AnyDefinition): part is ServiceDefinition {
  return !('format' in part);
}

function refusal(error: unknown, method: string, partsMax: number): DomainError {
  if (error instanceof TooManyParts)
    return new DomainError('BODY_TOO_LARGE', `message: expected at most ${partsMax} values and records`);
  if (error instanceof NotUtf8)
    return new DomainError('INVALID_REQUEST', `message: expected UTF-8 in ${error.message}`);
  return new DomainError('INVALID_REQUEST', `message: expected a request of ${method}`);
}
