import { DomainError } from '#platform/foundation';

/** The result of the work; a fault names the file. */
export async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withName(name, error);
  }
}

/** Names the innermost file once. */
export function withName(name: string, error: unknown): unknown {
  if (!(error instanceof DomainError) || error.message.startsWith(name)) return error;
  return new DomainError(error.code, `${name}: ${error.message}`, { cause: error });
}
