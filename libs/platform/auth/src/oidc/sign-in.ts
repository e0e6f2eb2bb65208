import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  Configuration,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client';
import { errorCodeOf } from '#platform/foundation';
import type { EventLog } from '../event-log.ts';
import type { GroupRoles } from './group-roles.ts';
import type { Provider } from './provider.ts';
import { isSubject } from './name-of-subject.ts';

const TIMEOUT_S = 5;

/** Why nobody is signed in: the provider is away, or what came back is not what was asked for. */
export type SignInFault = 'away' | 'refused';

/** Who has signed in, and which of the groups have a role. */
export interface SignedIn {
  readonly subject: string;
  readonly groups: readonly string[];
}

/** What the browser keeps between the way to the provider and the way back. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignInOptions {
  readonly provider: Provider;
  readonly clientId: string;
  readonly roles: GroupRoles;
}

/** The sign-in of pages: authorization code with PKCE, as a client without a secret. */
export class SignIn {
  readonly #provider: Provider;
  readonly #clientId: string;
  readonly #roles: GroupRoles;
  #log: EventLog | undefined;

  constructor({ provider, clientId, roles }: SignInOptions) {
    this.#provider = provider;
    this.#clientId = clientId;
    this.#roles = roles;
  }

  reportTo(log: EventLog): void {
    this.#log = log;
  }

  /** Where the browser has to go, and what it has to keep meanwhile. */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly pending: string } | SignInFault> {
    const configuration = await this.#configuration();
    if (configuration === undefined) return 'away';
    const pending: Pending = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { url, pending: Buffer.from(JSON.stringify(pending)).toString('base64url') };
  }

  /** Who has come back to this URL, with what the browser has kept. */
  async finish(url: URL, kept: string): Promise<SignedIn | SignInFault> {
    const pending = pendingOf(kept);
    if (pending === undefined) return this.#refuse('NO_PENDING_SIGN_IN');
    const configuration = await this.#configuration();
    if (configuration === undefined) return 'away';
    try {
      return (await this.#signedIn(configuration, url, pending)) ?? this.#refuse('NO_SUBJECT');
    } catch (error) {
      return this.#refuse(errorCodeOf(error) ?? 'UNKNOWN');
    }
  }

  async #signedIn(
    configuration: Configuration,
    url: URL,
    { state, nonce, verifier }: Pending,
  ): Promise<SignedIn | undefined> {
    const tokens = await authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!isSubject(claims?.sub)) return undefined;
    const { sub: subject } = claims;
    const groups = this.#roles.groupsIn(claims);
    if (groups.length > 0 || configuration.serverMetadata().userinfo_endpoint === undefined)
      return { subject, groups };
    // Some providers have groups in no token.
    const more = await fetchUserInfo(configuration, tokens.access_token, subject);
    return { subject, groups: this.#roles.groupsIn(more) };
  }

  /** Undefined while the provider is away. */
  async #configuration(): Promise<Configuration | undefined> {
    const metadata = await this.#provider.metadata();
    if (metadata === undefined) return undefined;
    const configuration = new Configuration(metadata as ServerMetadata, this.#clientId, undefined, None());
    configuration.timeout = TIMEOUT_S;
    if (metadata.issuer.startsWith('http:')) allowInsecureRequests(configuration);
    enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** The code of the library only: the URL has the words of whoever made it. */
  #refuse(reason: string): 'refused' {
    this.#log?.warn({ event: 'oidc.sign_in_failed', reason }, 'sign-in failed');
    return 'refused';
  }
}

function pendingOf(text: string): Pending | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { state, nonce, verifier } = value as Readonly<Record<string, unknown>>;
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
      return undefined;
    return { state, nonce, verifier };
  } catch {
    return undefined;
  }
}
