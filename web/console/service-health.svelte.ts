import { getHealth } from './api/generated/sdk.gen.ts';
import type { HealthDto } from './api/generated/types.gen.ts';

const INTERVAL_MS = 15_000;

/** The health of the service, polled once for all parts of the page. */
class ServiceHealth {
  /** Undefined while the service does not answer. */
  current = $state.raw<HealthDto | undefined>();
  hasAnswered = $state(false);

  /** Polls until the returned function is called. */
  watch(): () => void {
    void this.#look();
    const timer = setInterval(() => void this.#look(), INTERVAL_MS);
    return () => clearInterval(timer);
  }

  async #look(): Promise<void> {
    const { data, error } = await getHealth();
    // A service that accepts no writes answers 503, with a body of the same shape.
    this.current = data ?? (isHealth(error) ? error : undefined);
    this.hasAnswered = true;
  }
}

export const serviceHealth = new ServiceHealth();

function isHealth(body: unknown): body is HealthDto {
  return typeof body === 'object' && body !== null && 'status' in body;
}
