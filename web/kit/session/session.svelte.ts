/** Session storage: the key lives as long as the tab. */
const STORAGE_KEY = 'plexus.key';
/** The view to return to after a sign-in. */
const RETURN_KEY = 'plexus.return';
/** Local storage: this service was found to have single sign-on. */
const SIGN_ON_KEY = 'plexus.sign-on';
const SESSION_PATH = 'v1/session';

/** What only the page itself sends: a request by its session changes nothing without it. */
export const PAGE_HEADERS = { 'X-Plexus-Page': '1' } as const;

/** Single sign-on, where the service has it. */
export interface SignOn {
  /** Where to sign in. */
  readonly path: string;
  /** Who is signed in, if anybody is. */
  readonly name: string | undefined;
}

/** The key of the service as entered by the user, and whether one is required now. */
export class Session {
  #key = $state(sessionStorage.getItem(STORAGE_KEY) ?? undefined);
  #isAsking = $state(false);
  #wasRefused = $state(false);
  #signOn: SignOn | undefined = $state.raw();
  #answers: (() => void)[] = [];

  /** Undefined where the service takes keys only. */
  get signOn(): SignOn | undefined {
    return this.#signOn;
  }

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
    void this.#learn();
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

  /** Goes on after a sign-in, in the view that was left for it. Call it once, before views are shown. */
  async resume(): Promise<void> {
    const hash = sessionStorage.getItem(RETURN_KEY) ?? '';
    sessionStorage.removeItem(RETURN_KEY);
    if (hash !== '' && location.hash === '') {
      const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
      location.replace(hash);
      await changed;
    }
    if (localStorage.getItem(SIGN_ON_KEY) !== null) void this.#learn();
  }

  /** Asks the service whether it has single sign-on, and who is signed in. */
  async #learn(): Promise<void> {
    this.#signOn = await signOnOf(fetch(SESSION_PATH, { headers: PAGE_HEADERS }));
    if (this.#signOn === undefined) localStorage.removeItem(SIGN_ON_KEY);
    else localStorage.setItem(SIGN_ON_KEY, 'yes');
  }

  /** Leaves for the provider; the way back leads to the view that is shown now. */
  signIn(): void {
    if (this.#signOn === undefined) return;
    sessionStorage.setItem(RETURN_KEY, location.hash);
    location.assign(this.#signOn.path);
  }

  async signOut(): Promise<void> {
    await fetch(SESSION_PATH, { method: 'DELETE', headers: PAGE_HEADERS });
    location.reload();
  }

  #close(): void {
    this.#isAsking = false;
    const answers = this.#answers;
    this.#answers = [];
    for (const answer of answers) answer();
  }
}

async function signOnOf(asked: Promise<Response>): Promise<SignOn | undefined> {
  const reply = await asked.catch(() => undefined);
  if (reply?.ok !== true) return undefined;
  const { sign_in: path, name } = (await reply.json()) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string') return undefined;
  return { path, name: typeof name === 'string' ? name : undefined };
}

/** The instance of this page. */
export const session = new Session();
