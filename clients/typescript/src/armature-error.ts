import type { ErrorCode as ServerErrorCode, Problem } from './generated/types.gen.js';

/** The code of an error: one of the API, or one of this client for a call without a response of the API. */
export type ErrorCode = ServerErrorCode | 'UNREACHABLE' | 'TIMEOUT';

interface ErrorFields {
  status?: number;
  code: ErrorCode;
  headers?: Headers;
  problem?: Problem;
  cause?: unknown;
}

/** A call that was refused or had no response. It holds nothing of the request. */
export class ArmatureError extends Error {
  override readonly name = 'ArmatureError';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Every fault of the request. */
  readonly errors: Problem['errors'];
  /** What the caller can do. */
  readonly remedy: string | undefined;
  /** Finds the call in the log of the server. */
  readonly requestId: string | undefined;
  /** The headers of the response. */
  readonly headers: Headers;
  /** The body of the response, if it is a problem of the API (RFC 9457). */
  readonly problem: Problem | undefined;

  constructor(message: string, { status = 0, code, headers = new Headers(), problem, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.errors = problem?.errors ?? [];
    this.remedy = problem?.remedy;
    this.requestId = problem?.request_id ?? headers.get('x-request-id') ?? undefined;
    this.headers = headers;
    this.problem = problem;
  }
}
