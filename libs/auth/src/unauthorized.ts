/** The whole body of a 401: these two fields and no other. */
export const UNAUTHORIZED_BODY = Object.freeze({
  error: 'Unauthorized',
  message: 'missing or invalid API key',
});
