/** What of secp256k1 transactions need. */
export interface Curve {
  readonly name: 'secp256k1' | 'noble';
  /** r ‖ s (64 bytes, s in the lower half of the order) and the parity of the point's y, by RFC 6979. */
  sign(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The uncompressed public key (65 bytes) that signed; undefined when there is none. */
  recover(hash: Uint8Array, signature: RecoverableSignature): Uint8Array | undefined;
  /** The uncompressed public key of a private key. */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
  /** A public key of 33 or 65 bytes, uncompressed; undefined when it is no point of the curve. */
  uncompressed(publicKey: Uint8Array): Uint8Array | undefined;
  isPrivateKey(bytes: Uint8Array): boolean;
}

export interface RecoverableSignature {
  readonly signature: Uint8Array;
  readonly yParity: number;
}
