/** Session storage: the key lives as long as the tab. */
const STORAGE_KEY = 'plexus.key';

/** The key of the service as entered by the user, and whether one is required now. */
export class Session {
  #key = $state(sessionStorage.getItem(STORAGE_KEY) ?? undefined);
  #isAsking = $state(false);
  #wasRefused = $state(false);
  #answers: (() => void)[] = [];

  get key(): string | undefined {
    return this.#key;
  }

  /** Whether the prompt is shown. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Whether the last key was rejected. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /** Called when the service has rejected a key. Resolves when the user has entered another one. */
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

/** The instance of this page. */
export const session = new Session();
