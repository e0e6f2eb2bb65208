export { actorOf, actorOfRequest } from './actor-of.ts';
export {
  Admission,
  callerOf,
  type Decision,
  isOfKnownCaller,
  isPublicRoute,
  type Refusal,
  warnOfAccess,
} from './admission.ts';
export { ApiKeyGate } from './api-key-gate.ts';
export { AuthModule } from './auth.module.ts';
export {
  ANYONE,
  type Caller,
  Forbidden,
  lackOf,
  NOBODY,
  type Requirement,
  requireStatement,
  Unauthorized,
} from './caller.ts';
export { loadKeysCommand } from './command/load-keys-command.ts';
export { From } from './from.decorator.ts';
export { Keyring } from './keyring.ts';
export { parseKeys } from './keys-document.ts';
export { type KeysFile, openKeys } from './keys-file.ts';
export { openSingleSignOn, type PageSignIn, type SingleSignOn } from './oidc/open-single-sign-on.ts';
export { PublicAddress } from './oidc/public-address.ts';
export { cookieOf, isOfPage, setCookie } from './oidc/session-cookies.ts';
export type { SignedIn } from './oidc/sign-in.ts';
export { nameOfSubject } from './oidc/name-of-subject.ts';
export { ownWrite, requireOwnScope, sourceOf } from './own-source.ts';
export {
  type AccessModel,
  GRAPH_ACCESS,
  HIVE_ACCESS,
  type Permission,
  PROXY_ACCESS,
  SOURCE_ROLES,
} from './permission.ts';
export { isOpened, Public } from './public.decorator.ts';
export { requirementIn, requirementOf, Requires, statedIn } from './requires.decorator.ts';
export { routeMark, routeMarkOf } from './route-mark.ts';
