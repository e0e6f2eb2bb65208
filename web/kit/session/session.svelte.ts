/** Where the key is kept: for the tab, and gone with it. */
const STORAGE_KEY = 'plexus.key';

/** The key of the service, as the user gave it, and whether one is wanted now. */
export class Session {
  #key = $state(sessionStorage.getItem(STORAGE_KEY) ?? undefined);
  #isAsking = $state(false);
  #wasRefused = $state(false);
  #answers: (() => void)[] = [];

  get key(): string | undefined {
    return this.#key;
  }

  /** Whether the prompt is to be shown. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Whether the key that was given last did not fit. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /** The service wants another key than it was sent. Resolves when the user has given one. */
  renew(refused: string | undefined): Promise<void> {
    if (refused !== this.#key) return Promise.resolve();
    this.#isAsking = true;
    this.#wasRefused = refused !== undefined;
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  /** Shows the prompt, so that the user may change the key. */
  ask(): void {
    this.#isAsking = true;
    this.#wasRefused = false;
  }

  give(key: string): void {
    this.#key = key;
    sessionStorage.setItem(STORAGE_KEY, key);
    this.#close();
  }

  forget(): void {
    this.#key = undefined;
    sessionStorage.removeItem(STORAGE_KEY);
    this.#close();
  }

  #close(): void {
    this.#isAsking = false;
    const answers = this.#answers;
    this.#answers = [];
    for (const answer of answers) answer();
  }
}

/** Of this page. */
export const session = new Session();
