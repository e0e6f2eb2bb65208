/** Why the checkout cannot be made ready, in words for the user; printed without a stack. */
export class Refusal extends Error {}
