export { Admission } from './admission.ts';
export { ApiKeyGate } from './api-key-gate.ts';
export { AuthModule } from './auth.module.ts';
export { Public } from './public.decorator.ts';
export { Unauthorized } from './unauthorized.ts';
export { warnOfAccess } from './warn-of-access.ts';
