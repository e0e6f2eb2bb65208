export { Admission } from './admission.ts';
export { ApiKeyGate } from './api-key-gate.ts';
export { AuthModule } from './auth.module.ts';
export { Public } from './public.decorator.ts';
export { isPublicRoute } from './admission.ts';
export { Unauthorized } from './admission.ts';
export { warnOfAccess } from './admission.ts';
