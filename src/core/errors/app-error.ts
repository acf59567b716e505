/** One fault of a request or a file, listed under `errors` of a problem document. */
export interface Fault {
  /** RFC 6901 pointer into the body, or the name of the query parameter. */
  pointer?: string;
  detail: string;
  /** What the caller can do about this fault. */
  remedy?: string;
  /** Position in an uploaded file; line and column start at 1. */
  file?: string;
  line?: number;
  column?: number;
  keyword?: string;
}

/** The maximum number of faults in a response; further faults are only counted. */
export const MAX_FAULTS = 100;

export interface AppErrorOptions {
  /** What the caller can do. */
  remedy: string;
  errors?: Fault[];
  /** Extension members of the problem document (RFC 9457 section 3.2). */
  extensions?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The maximum length of a detail, which may quote user input. */
const MAX_DETAIL_LENGTH = 4_000;

/** Shortens a text to `longest` characters. */
export const truncate = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;

/** Base class of errors that callers see. Any other error is answered with 500 and a request id only. */
export class AppError extends Error {
  readonly errors: Fault[];
  readonly remedy: string;
  readonly extensions: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail: string,
    options: AppErrorOptions,
  ) {
    super(truncate(detail, MAX_DETAIL_LENGTH), { cause: options.cause });
    this.name = new.target.name;
    this.errors = options.errors ?? [];
    this.remedy = options.remedy;
    this.extensions = options.extensions ?? {};
    this.headers = options.headers ?? {};
  }

  /** A copy of the error with extension members in its problem document. */
  withExtensions(extensions: Record<string, unknown>): AppError {
    return this.with({ extensions: { ...this.extensions, ...extensions } });
  }

  /** A copy of the error that refers to a field of the request. */
  atField(pointer: string): AppError {
    return this.with({ errors: [{ pointer, detail: this.message }] });
  }

  private with(change: Partial<AppErrorOptions>): AppError {
    const { status, code, title, message, errors, remedy, headers, extensions } = this;
    return new AppError(status, code, title, message, {
      ...{ errors, remedy, headers, extensions, cause: this },
      ...change,
    });
  }
}

/** 400: the request is malformed or violates a rule; `errors` lists every fault. */
export class InvalidRequest extends AppError {
  constructor(detail: string, options: Partial<AppErrorOptions> & { code?: string } = {}) {
    const [only, ...more] = options.errors ?? [];
    const remedy =
      options.remedy ??
      (more.length === 0 ? only?.remedy : undefined) ??
      (options.errors?.length
        ? 'Correct what is listed under errors; /api/docs describes the fields of every route.'
        : 'Correct the request; /api/docs describes every route.');
    super(400, options.code ?? 'VALIDATION_FAILED', 'Invalid request', detail, { ...options, remedy });
  }

  /** @param pointer a JSON Pointer into the body, or the name of a query parameter */
  static forField(pointer: string, detail: string, remedy?: string): InvalidRequest {
    const name = pointer.replace(/^\//, '');
    return new InvalidRequest(`${name} ${detail}`, { errors: [{ pointer, detail }], remedy });
  }

  /** A sealed value would be sent to another place than it was entered for. */
  static secretRequired(pointer: string, detail: string, remedy: string): InvalidRequest {
    const name = pointer.replace(/^\//, '');
    return new InvalidRequest(`${name} ${detail}`, { code: 'SECRET_REQUIRED', errors: [{ pointer, detail }], remedy });
  }
}

/** 401: the token is missing or invalid. */
export class Unauthenticated extends AppError {
  constructor(detail: string, options: Partial<AppErrorOptions> = {}) {
    super(401, 'UNAUTHENTICATED', 'Authentication required', detail, {
      remedy: 'Send the header "Authorization: Bearer <token>" with a token from POST /api/auth/login.',
      headers: { 'WWW-Authenticate': 'Bearer' },
      ...options,
    });
  }
}

/** 403: the caller may see the record but not perform this operation on it. */
export class Forbidden extends AppError {
  constructor(detail: string, options: AppErrorOptions & { code?: string }) {
    super(403, options.code ?? 'FORBIDDEN', 'Not allowed', detail, options);
  }
}

/** 404: the record does not exist or is not visible to the caller; the response does not distinguish the two. */
export class NotFound extends AppError {
  constructor(
    what: string,
    readonly id: string,
  ) {
    super(404, 'NOT_FOUND', 'Not found', `${what} ${id} was not found`, {
      remedy: 'Check the id, and that your role lets you see it.',
    });
  }
}

/** 409: the state of the record, a quota or another record prevents the operation. */
export class Conflict extends AppError {
  constructor(code: string, detail: string, options: AppErrorOptions) {
    super(409, code, 'Conflict', detail, options);
  }
}

/** 502 or 504: a cluster or another remote system failed or timed out; `detail` names it. */
export class RemoteFailure extends AppError {
  constructor(code: string, detail: string, options: AppErrorOptions & { timedOut?: boolean }) {
    super(
      options.timedOut ? 504 : 502,
      code,
      options.timedOut ? 'Remote side timed out' : 'Remote side failed',
      detail,
      options,
    );
  }
}
