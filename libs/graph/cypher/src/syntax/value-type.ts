/** A type as a statement writes it. Null belongs to it unless it says otherwise. */
export interface ValueType {
  /** `'ANY'`, `'NOTHING'`, `'NULL'`, `'PROPERTY VALUE'` or a name as valueType() has. */
  readonly name: string;
  /** Type of the items of a list. */
  readonly item?: ValueType | undefined;
  /** One of several; the name then counts for nothing. */
  readonly options?: readonly ValueType[] | undefined;
  readonly isNotNull: boolean;
}
