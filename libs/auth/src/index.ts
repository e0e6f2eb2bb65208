export { ApiKeyGate, type GateOptions, type PublicMark } from './api-key-gate.ts';
export { ApiKeyGuard } from './api-key.guard.ts';
export { type Admission, refuses } from './auth-hook.ts';
export { AuthModule } from './auth.module.ts';
export { BrowserGate, type BrowserGateOptions, type MarkedRequest } from './browser-gate.ts';
export { Public } from './public.decorator.ts';
export { UNAUTHORIZED_BODY } from './unauthorized.ts';
