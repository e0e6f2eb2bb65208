/**
 * The number of requests of each client in a cluster, waiting ones included. Hot path: two changes per
 * request.
 */
export class ClientShares {
  readonly #used = new Map<string, number>();

  of(client: string): number {
    return this.#used.get(client) ?? 0;
  }

  take(client: string): void {
    this.#used.set(client, this.of(client) + 1);
  }

  giveBack(client: string): void {
    const left = this.of(client) - 1;
    if (left > 0) this.#used.set(client, left);
    else this.#used.delete(client);
  }
}
