/** One value of a property. Integers and fractions are both `number`; instants are RFC 3339 strings. */
export type Scalar = null | boolean | number | string;

/** What a property holds: a scalar, or a list of one scalar kind. */
export type PropertyValue = Scalar | readonly Scalar[];

/** A flat object without a prototype: names are data, `__proto__` included. */
export type Properties = Readonly<Record<string, PropertyValue>>;
