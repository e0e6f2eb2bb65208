/** Cookies by name, as a browser keeps them. */
export class Jar {
  readonly #kept = new Map<string, string>();

  take(reply: Response): void {
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#kept.delete(name);
      else this.#kept.set(name, value);
    }
  }

  get(name: string): string | undefined {
    return this.#kept.get(name);
  }

  get header(): string {
    return [...this.#kept].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** Sends a request with the cookies of the jar, follows nothing, and keeps what cookies come back. */
export async function visit(url: string, jar: Jar, init: RequestInit = {}): Promise<Response> {
  const reply = await fetch(url, {
    redirect: 'manual',
    ...init,
    headers: { Cookie: jar.header, ...(init.headers as Record<string, string>) },
  });
  jar.take(reply);
  return reply;
}

/** The address with which the provider sends the browser back to a service, after a login there. */
export async function wayBack(url: string, jar: Jar, login: string): Promise<string> {
  const atProvider = new Jar();
  const begun = await visit(`${url}/v1/sign-in`, jar);
  const asked = locationOf(begun, url);
  const form = locationOf(await visit(asked, atProvider), asked);
  const body = new URLSearchParams({ login });
  const resumed = locationOf(await visit(form, atProvider, { method: 'POST', body }), asked);
  return locationOf(await visit(resumed, atProvider), asked);
}

/** The cookies of a browser in which somebody has signed in. */
export async function signedIn(url: string, login: string): Promise<Jar> {
  const jar = new Jar();
  await visit(await wayBack(url, jar, login), jar);
  return jar;
}

function locationOf(reply: Response, base: string): string {
  return new URL(reply.headers.get('location') ?? '', base).href;
}
