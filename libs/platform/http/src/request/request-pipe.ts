import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError } from '#platform/foundation';

/**
 * Validates query strings and bodies by the decorators of their class, for all handlers. Throws
 * INVALID_REQUEST that names the first invalid field; an unknown field is invalid.
 */
export class RequestPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: ([fault]) => faultOf(fault),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.metatype === undefined || !this.toValidate(metadata)) return value;
    if (value !== undefined && value !== null) checkObject(value, metadata.type);
    return super.transform(value, metadata) as Promise<unknown>;
  }
}

/** Nest would silently drop names such as `__proto__`; they are reported as unknown fields. */
function checkObject(value: unknown, what: string): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new DomainError('INVALID_REQUEST', `${what}: expected an object`);
  }
  const name = Object.keys(value as object).find((each) => each in Object.prototype);
  if (name !== undefined) throw unknownField(name);
}

function faultOf(fault: ValidationError | undefined): DomainError {
  const { property = 'body', constraints = {} } = fault ?? {};
  if ('whitelistValidation' in constraints) return unknownField(property);
  const [message = `${property} is not valid`] = Object.values(constraints);
  return new DomainError('INVALID_REQUEST', message, { details: { field: property } });
}

function unknownField(name: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${name}: unknown field`, { details: { field: name } });
}
