import { validateSync, type ValidationError } from 'class-validator';
import { DomainError } from '#platform/foundation';

/**
 * An envelope's fields as an instance of its class, checked by the class's decorators. Throws INVALID_REQUEST
 * that names the first faulty field; a field that the class does not have is one.
 */
export function validated<T extends object>(Envelope: new () => T, body: unknown, what = 'body'): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new DomainError('INVALID_REQUEST', `${what}: expected an object`);
  }
  const envelope = new Envelope();
  for (const [name, value] of Object.entries(body)) {
    if (name in Object.prototype) throw unknownField(name);
    Object.assign(envelope, { [name]: value as unknown });
  }
  const [fault] = validateSync(envelope, OPTIONS);
  if (fault !== undefined) throw faultOf(fault);
  return envelope;
}

const OPTIONS = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: false,
  stopAtFirstError: true,
  validationError: { target: false, value: false },
} as const;

function faultOf({ property, constraints = {} }: ValidationError): DomainError {
  if ('whitelistValidation' in constraints) return unknownField(property);
  const [message = `${property} is not valid`] = Object.values(constraints);
  return new DomainError('INVALID_REQUEST', message, { details: { field: property } });
}

function unknownField(name: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${name}: unknown field`, { details: { field: name } });
}
