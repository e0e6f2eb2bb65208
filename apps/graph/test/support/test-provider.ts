import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OidcProvider, { type ClientMetadata, type Configuration } from 'oidc-provider';
import { ProviderMemory } from './provider-memory.ts';

/** The audience of the access tokens. */
export const AUDIENCE = 'urn:plexus:test';
/** The client as which pages sign in. */
export const PAGES_CLIENT = 'plexus-pages';
const ANSWER_S = 600;
const MACHINE = { id: 'machine', secret: 'a secret of the machine' };

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** A provider of OpenID Connect on a free port, whose keys, clients and groups may be changed. */
export class TestProvider {
  readonly issuer: string;
  /** Requests for the keys. */
  keysAsked = 0;
  /** The groups of the machine, and of each user by login. */
  readonly groups = new Map<string, readonly string[]>();
  readonly #server: Server;
  #key: SigningKey;
  #answer: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  #redirectUris: readonly string[] = [];

  static async start(): Promise<TestProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestProvider(server, await newKey('first'));
  }

  private constructor(server: Server, key: SigningKey) {
    this.#server = server;
    this.#key = key;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/jwks') this.keysAsked++;
      if (this.#answer === undefined) request.socket.destroy();
      else void this.#answer(request, response);
    });
    this.comeBack();
  }

  /** The key with which the provider signs. */
  get key(): SigningKey {
    return this.#key;
  }

  /** Environment of a service that trusts the provider, with a role for each of these groups. */
  environment(roles: Readonly<Record<string, string>>): Record<string, string> {
    return {
      PLEXUS_OIDC_ISSUER: this.issuer,
      PLEXUS_OIDC_CLIENT_ID: PAGES_CLIENT,
      PLEXUS_OIDC_AUDIENCE: AUDIENCE,
      PLEXUS_OIDC_ROLES: JSON.stringify({ groups: roles }),
    };
  }

  /** Lets pages of this service sign in. */
  serve(url: string): void {
    this.#redirectUris = [`${url}/v1/sign-in/callback`];
    this.comeBack();
  }

  /** Signs with another key from now on; the last one is withdrawn. */
  async rotate(kid: string): Promise<void> {
    this.#key = await newKey(kid);
    this.comeBack();
  }

  /** Every connection is cut. */
  goAway(): void {
    this.#answer = undefined;
    this.#server.closeAllConnections();
  }

  comeBack(): void {
    const provider = new OidcProvider(this.issuer, this.#configuration());
    const answer = provider.callback();
    this.#answer = async (request, response) => {
      if (request.url?.startsWith('/login/') === true) await answerLogin(provider, request, response);
      else await answer(request, response);
    };
  }

  /** An access token of the machine, as the provider issues it. */
  async token(audience = AUDIENCE): Promise<string> {
    const reply = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${MACHINE.id}:${encodeURIComponent(MACHINE.secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
    });
    const { access_token: token } = (await reply.json()) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`the provider gave no token: ${reply.status}`);
    return token;
  }

  /** A token with these claims and header members, signed with the provider's key or another one. */
  signed(
    claims: Readonly<Record<string, unknown>>,
    header: Readonly<Record<string, unknown>> = {},
    key: CryptoKey | Uint8Array = this.#key.privateKey,
  ): Promise<string> {
    const nowS = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, aud: AUDIENCE, sub: 'forged', iat: nowS, exp: nowS + 300 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: this.#key.kid, ...header })
      .sign(key);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #configuration(): Configuration {
    const groupsOf = (login: string): readonly string[] => this.groups.get(login) ?? [];
    return {
      adapter: ProviderMemory,
      interactions: { url: (_context, { uid }) => `/login/${uid}` },
      ttl: {
        AccessToken: ANSWER_S,
        AuthorizationCode: ANSWER_S,
        ClientCredentials: ANSWER_S,
        Grant: ANSWER_S,
        IdToken: ANSWER_S,
        Interaction: ANSWER_S,
        Session: ANSWER_S,
      },
      jwks: { keys: [this.#key.jwk] },
      clients: this.#clients(),
      scopes: ['openid'],
      claims: { openid: ['sub', 'groups'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of the cookies of the test'] },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        rpInitiatedLogout: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context, audience) => ({
            scope: '',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
      extraTokenClaims: (_context, token) =>
        token.kind === 'ClientCredentials' ? { groups: groupsOf(MACHINE.id) } : undefined,
      findAccount: (_context, login) => ({
        accountId: login,
        claims: () => Promise.resolve({ sub: login, groups: [...groupsOf(login)] }),
      }),
    };
  }

  #clients(): ClientMetadata[] {
    const clients: readonly ClientMetadata[] = [
      {
        client_id: MACHINE.id,
        client_secret: MACHINE.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: PAGES_CLIENT,
        token_endpoint_auth_method: 'none',
        application_type: this.#redirectUris.some((uri) => uri.startsWith('https:')) ? 'web' : 'native',
        redirect_uris: [...this.#redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ];
    return clients.filter(({ client_id: id }) => id === MACHINE.id || this.#redirectUris.length > 0);
  }
}

async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
  return { kid, privateKey, jwk };
}

/** A form that asks for a login, and grants whoever sends it what the client asks for. */
async function answerLogin(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('Content-Type', 'text/html');
    response.end('<form method="post"><label>Login <input name="login"></label><button>Go</button></form>');
    return;
  }
  const { params } = await provider.interactionDetails(request, response);
  const accountId = new URLSearchParams(await text(request)).get('login') ?? '';
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope('openid');
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId }, consent });
}
