/** Codes of JSON-RPC 2.0, and geth's code for rejected transactions and chain errors. */
export const RPC_CODE = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  limitExceeded: -32_005,
  refused: -32_000,
  /** Nitro's code for a condition that does not hold. */
  transactionRejected: -32_003,
  /** EIP-7966: in no block in time. */
  syncTimeout: 4,
  /** geth's code for an execution that reverted. */
  reverted: 3,
} as const;

/** The error response of a call. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  readonly code: number;
  /** Further data in hexadecimal. */
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
