/**
 * The receiver did not accept a message. The text is shown: it contains no secret and no text of the peer.
 */
export class DeliveryFailed extends Error {
  override readonly name: string = 'DeliveryFailed';
}

/** The receiver refuses this message for good: further attempts are useless, others may pass. */
export class DeliveryRefused extends DeliveryFailed {
  override readonly name = 'DeliveryRefused';
}
