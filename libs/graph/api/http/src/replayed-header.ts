/** `true` on the stored reply of an earlier request with the same id: nothing of this one was written. */
export const REPLAYED = 'Idempotent-Replayed';

/** Its description in the OpenAPI document. */
export const REPLAYED_HEADER = {
  [REPLAYED]: {
    description:
      'Only on the reply of an earlier request with the same id: nothing of this one was written, whatever it has.',
    schema: { type: 'string', pattern: '^true$' },
  },
} as const;
