/** The error shape of all services. */
export class ApiError extends Error {
  readonly code: string;
  /** 0: no response. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;

  constructor(
    code: string,
    message: string,
    facts: Partial<Pick<ApiError, 'status' | 'details' | 'requestId'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId;
  }

  /** The error in the body of a response, whatever its shape. */
  static from(body: unknown, status: number): ApiError {
    if (!isRecord(body)) return new ApiError(`HTTP ${status}`, `the service answered ${status}`, { status });
    const { error, message, details, request_id: requestId } = body;
    return new ApiError(
      typeof error === 'string' ? error : `HTTP ${status}`,
      typeof message === 'string' ? message : '',
      {
        status,
        details: isRecord(details) ? details : {},
        requestId: typeof requestId === 'string' ? requestId : undefined,
      },
    );
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result of an operation of a generated client. */
export interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response?: Response | undefined;
}

/** The data of a response. Throws {@link ApiError}; the browser's AbortError when the user stopped it. */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await answer;
  if (data !== undefined && data !== null && response?.ok === true) return data;
  if (error instanceof DOMException && error.name === 'AbortError') throw error;
  if (response === undefined) throw new ApiError('NO_ANSWER', 'the service does not answer', { status: 0 });
  throw ApiError.from(error, response.status);
}
