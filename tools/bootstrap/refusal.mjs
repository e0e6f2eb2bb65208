/** Why the checkout cannot be prepared, as a message for the user; printed without a stack. */
export class Refusal extends Error {}
