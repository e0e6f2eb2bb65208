export { DeliveryFailed, DeliveryRefused } from './delivery-failure.ts';
export { reachableAddress } from './public-address.ts';
export { bodySignature } from './body-signature.ts';
export { WebTarget, type WebTargetConfig } from './web-target.ts';
