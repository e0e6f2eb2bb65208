/** Limits of records; a request beyond one is rejected, never truncated. */
export const MODEL_LIMITS = {
  /** Type, class and verb, in characters (code points). */
  nameCharactersMax: 128,
  /** Key of an entity or relationship, in bytes of UTF-8. */
  keyBytesMax: 1_024,
  /** Connector, sync and write ids, in characters. */
  requestIdCharactersMax: 256,
  /** Maximum length in UTF-16 code units, like the two below. */
  displayNameLengthMax: 4_096,
  propertyNameLengthMax: 256,
  propertyStringLengthMax: 1_048_576,
  propertiesMax: 1_024,
  listItemsMax: 10_000,
  /** Maximum nesting for flattening. */
  flattenDepthMax: 32,
  /** Distinct labels of one entity. */
  labelsMax: 64,
} as const;
