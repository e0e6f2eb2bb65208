/** Parameters declared by a document with a query: a rule, or a saved query. */
import type { Scalar } from '#graph/model';
import { object, oneOf, optional, record, refuse, required, type Shape } from '#platform/config';

/** `list`: an array of scalars, for IN. */
const TYPES = ['string', 'number', 'boolean', 'list'] as const;
const PARAMETERS_MAX = 1_000;
const NAME = /^[A-Za-z_]\w{0,63}$|^[1-9]\d{0,2}$/;

export type ParameterType = (typeof TYPES)[number];
export type ParameterValue = Scalar | readonly Scalar[];

export interface QueryParameter {
  readonly type: ParameterType;
  /** A run must provide the value if this is missing. */
  readonly default?: ParameterValue | undefined;
}

/** Whether a value is valid for a parameter of this type. */
export function isParameterValue(value: unknown, type: ParameterType): value is ParameterValue {
  if (type !== 'list') return typeof value === type && (type !== 'number' || Number.isFinite(value));
  return Array.isArray(value) && value.every(isScalar);
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

const parameterName: Shape<string> = {
  expects: 'a parameter name, as after $ in the query',
  read: (value, at) =>
    typeof value === 'string' && NAME.test(value) ? value : refuse(at, parameterName.expects),
};

const parameterValue: Shape<ParameterValue> = {
  expects: 'a scalar or a list of scalars',
  read: (value, at) => {
    if (TYPES.some((type) => isParameterValue(value, type))) return value as ParameterValue;
    refuse(at, parameterValue.expects);
    return undefined;
  },
};

const parameter: Shape<QueryParameter> = {
  expects: '`{type: string | number | boolean | list, default?}`',
  read: (value, at) => {
    const given = object({
      type: required(oneOf(TYPES), ''),
      default: optional(parameterValue, ''),
    }).read(value, at);
    if (given === undefined) return undefined;
    const { type, default: fallback } = given;
    if (fallback === undefined) return { type };
    if (isParameterValue(fallback, type)) return { type, default: fallback };
    refuse({ ...at, path: [...at.path, 'default'] }, `a ${type}`);
    return undefined;
  },
};

/** `{name: {type, default?}}` */
export const PARAMETERS_SHAPE = record(parameterName, parameter, { max: PARAMETERS_MAX });

/** Shape of `{name: value}`. */
export const PARAMETER_VALUES_SHAPE = record(parameterName, parameterValue, { max: PARAMETERS_MAX });
