import { RemoteFailure } from '../../core/errors/app-error.js';

export type ClusterErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  | 'expired'
  | 'invalid'
  | 'throttled'
  | 'unavailable'
  | 'tooLarge'
  | 'protocol'
  | 'failed';

/** One entry of `details.causes` of a Status. */
export interface ClusterCause {
  reason?: string;
  message?: string;
  /** Field path as the API server writes it: `spec.template`, `.spec.replicas`, `spec.containers[0].image`. */
  field?: string;
}

/** The Status object (meta/v1) that an API server answers failures with, as far as it is read. */
export interface Status {
  status?: string;
  message?: string;
  reason?: string;
  code?: number;
  details?: { name?: string; group?: string; kind?: string; causes?: ClusterCause[]; retryAfterSeconds?: number };
}

/**
 * What went wrong between this server and a cluster: 504 when it did not answer in time, else 502.
 * `code` is `CLUSTER_` and the kind in upper snake case, such as `CLUSTER_UNREACHABLE` or `CLUSTER_NOT_FOUND`.
 */
export class ClusterError extends RemoteFailure {
  /** Reason of the Status, such as `AlreadyExists`, or a code of the connection, such as `ECONNREFUSED`. */
  readonly reason: string;
  readonly causes: ClusterCause[];
  /** HTTP status of the cluster's answer, when there was one. */
  readonly answered?: number;
  /** The object that the Status is about; its kind is a plural in lower case. */
  readonly about: { name?: string; group?: string; kind?: string };

  constructor(
    readonly kind: ClusterErrorKind,
    detail: string,
    options: { reason?: string; status?: Status; answered?: number; cause?: unknown } = {},
  ) {
    super(`CLUSTER_${kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`, detail, {
      timedOut: kind === 'timeout',
      cause: options.cause,
      remedy: REMEDIES[kind],
    });
    this.reason = options.reason ?? options.status?.reason ?? kind;
    this.causes = options.status?.details?.causes ?? [];
    this.answered = options.answered;
    const { name, group, kind: plural } = options.status?.details ?? {};
    this.about = { name, group, kind: plural };
  }

  /** Reads the answer of a failed request: a Status in nearly all cases, anything when a proxy answered in the cluster's place. */
  static answered(httpStatus: number, body: unknown, during: string): ClusterError {
    const status: Status = isStatus(body) ? body : {};
    const detail = status.message || `The cluster answered ${httpStatus} to ${during}`;
    const kind = UNREADABLE.test(detail) ? 'invalid' : kindOf(httpStatus, status.reason);
    return new ClusterError(kind, detail, { status, answered: httpStatus });
  }

  /** Whether the cluster never gave an answer, so that what was asked may or may not have happened. */
  get unanswered(): boolean {
    return this.answered === undefined && (this.kind === 'unreachable' || this.kind === 'timeout');
  }
}

/** An object that does not fit its schema is answered with 500 by server-side apply. */
const UNREADABLE = /^failed to (create typed|convert new)|cannot be handled as a|unable to convert unstructured/;

const REMEDIES: Partial<Record<ClusterErrorKind, string>> = {
  unreachable: 'Check the address of the connection and that the cluster is running and reachable from this server.',
  timeout: 'Check that the cluster is responsive, then try again.',
  unauthorized: 'Renew the credential of the connection.',
  forbidden: 'Grant the missing right to the user of the credential, with a Role or ClusterRole.',
  protocol: 'Check that the address of the connection is that of a Kubernetes API server.',
};

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status';
}

function kindOf(httpStatus: number, reason?: string): ClusterErrorKind {
  switch (httpStatus) {
    case 400:
    case 415:
    case 422:
      return 'invalid';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'notFound';
    case 409:
      return reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict';
    case 410:
      return 'expired';
    case 413:
      return 'tooLarge';
    case 429:
      return 'throttled';
    case 502:
    case 503:
      return 'unavailable';
    case 504:
      return 'timeout';
    default:
      return httpStatus >= 500 ? 'failed' : 'protocol';
  }
}
