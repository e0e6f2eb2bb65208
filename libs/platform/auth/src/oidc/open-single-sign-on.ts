import { DomainError, systemClock } from '#platform/foundation';
import type { EventLog } from '../event-log.ts';
import type { Keyring } from '../keyring.ts';
import { type AccessModel, ownRoles } from '../permission.ts';
import { PublicAddress } from './public-address.ts';
import type { SessionCookies } from './session-cookies.ts';
import type { Sessions, SessionStore } from './sessions.ts';
import type { SignIn, SignInOptions } from './sign-in.ts';
import type { Tokens } from './tokens.ts';

/** The settings of single sign-on; empty where they are not given. */
export interface OidcSettings {
  readonly oidcIssuer: string;
  readonly oidcClientId: string;
  /** Separated by commas. */
  readonly oidcAudience: string;
  readonly oidcRoles: string;
  /** Where clients find the service, if something in front of it ends TLS. */
  readonly publicUrl: string;
}

/** The sign-in of pages. */
export interface PageSignIn {
  readonly flow: SignIn;
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly address: PublicAddress;
}

/** What a provider of identities is used for. */
export interface SingleSignOn {
  readonly issuer: string;
  readonly tokens: Tokens;
  readonly address: PublicAddress;
  /** Undefined without a client id. */
  readonly pages?: PageSignIn | undefined;
  /** Reports to the log, and keeps sessions in the store; until then there are no sessions. */
  readonly open: (store: SessionStore, log: EventLog) => void;
}

/**
 * Single sign-on by the provider in the settings; undefined where there is none. `keys` has further roles.
 * Throws INVALID_CONFIG. The code is loaded on demand.
 */
export async function openSingleSignOn(
  { oidcIssuer: issuer, oidcClientId: clientId, oidcAudience, oidcRoles, publicUrl }: OidcSettings,
  model: AccessModel,
  keys: Keyring | undefined,
): Promise<SingleSignOn | undefined> {
  const address = PublicAddress.parse(publicUrl);
  const audiences = oidcAudience.split(',').flatMap((audience) => audience.trim() || []);
  if (issuer === '') {
    if (clientId + oidcAudience + oidcRoles === '') return undefined;
    throw new DomainError('INVALID_CONFIG', 'PLEXUS_OIDC_ISSUER: expected the issuer of the tokens');
  }
  if (audiences.length === 0)
    throw new DomainError('INVALID_CONFIG', 'PLEXUS_OIDC_AUDIENCE: expected the audience of access tokens');
  const { GroupRoles } = await import('./group-roles.ts');
  const { Provider } = await import('./provider.ts');
  const { Tokens } = await import('./tokens.ts');
  const known = ownRoles(model);
  const roles = GroupRoles.parse(oidcRoles, 'PLEXUS_OIDC_ROLES', () => keys?.roles ?? known);
  const clock = systemClock;
  const provider = new Provider({ issuer, clock });
  const tokens = new Tokens({ provider, audiences, roles, clock });
  const pages = clientId === '' ? undefined : await openPages({ provider, clientId, roles }, address);
  return {
    issuer,
    tokens,
    address,
    pages,
    open: (store, log) => {
      tokens.reportTo(log);
      pages?.flow.reportTo(log);
      pages?.sessions.open(store, log);
    },
  };
}

async function openPages(options: SignInOptions, address: PublicAddress): Promise<PageSignIn> {
  const { SessionCookies } = await import('./session-cookies.ts');
  const { Sessions } = await import('./sessions.ts');
  const { SignIn } = await import('./sign-in.ts');
  const sessions = new Sessions({ roles: options.roles, clock: systemClock });
  const cookies = new SessionCookies(sessions, address);
  return { flow: new SignIn(options), sessions, cookies, address };
}
