import { RemoteFailure } from '../../core/errors/app-error.js';
import { toPlainClusterText } from './plain-cluster-text.js';
import { sanitizeClusterText } from './sanitize-cluster-text.js';

export type ClusterErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'notSupported'
  | 'alreadyExists'
  | 'conflict'
  | 'expired'
  | 'invalid'
  | 'throttled'
  | 'unavailable'
  | 'tooLarge'
  | 'protocol'
  | 'failed';

/** An entry of `details.causes` of a Status. */
export interface ClusterCause {
  reason?: string;
  message?: string;
  /** Field path in the API server's notation: `spec.template`, `.spec.replicas`, `spec.containers[0].image`. */
  field?: string;
}

/** The fields read of a Status (meta/v1), the response of an API server to failed requests. */
interface Status {
  message?: string;
  reason?: string;
  details?: { name?: string; group?: string; kind?: string; causes?: ClusterCause[] };
}

/** The maximum number of causes that are kept of a Status. */
const MAX_CAUSES = 50;
/** The maximum length of a reason, a name or a cause. */
const MAX_NAME_LENGTH = 1_000;

/**
 * An error between this server and a cluster: 504 on a timeout, otherwise 502. `code` is `CLUSTER_` and the kind in
 * upper snake case, such as `CLUSTER_UNREACHABLE` or `CLUSTER_NOT_FOUND`.
 */
export class ClusterError extends RemoteFailure {
  /** The reason of the Status, such as `AlreadyExists`, or the code of a network error, such as `ECONNREFUSED`. */
  readonly reason: string;
  readonly causes: ClusterCause[];
  /** The HTTP status of the cluster's response, if there was one. */
  readonly answered?: number;
  /** An earlier attempt of the same request got no valid response, and may have been carried out. */
  mayHaveRun = false;
  /** The response to a path that the cluster does not serve, such as that of a kind whose definition was deleted. */
  readonly isUnserved: boolean;
  /** The object that the Status is about; `kind` is a lower-case plural. */
  readonly about: { name?: string; group?: string; kind?: string };

  constructor(
    readonly kind: ClusterErrorKind,
    detail: string,
    options: { reason?: string; status?: Status; answered?: number; cause?: unknown; remedy?: string } = {},
  ) {
    super(toErrorCode(kind), detail, {
      timedOut: kind === 'timeout',
      cause: options.cause,
      remedy: options.remedy ?? REMEDIES[kind],
    });
    const { reason, details } = options.status ?? {};
    this.reason = options.reason ?? reason ?? kind;
    this.causes = details?.causes ?? [];
    this.answered = options.answered;
    this.isUnserved = kind === 'notFound' && this.answered !== undefined && details === undefined;
    const { name, group, kind: plural } = details ?? {};
    this.about = { name, group, kind: plural };
  }

  /** A copy that says something else. */
  withMessage(message: string): ClusterError {
    const { kind, reason, answered, about, causes, mayHaveRun } = this;
    const details = this.isUnserved ? undefined : { ...about, causes };
    return Object.assign(new ClusterError(kind, message, { reason, status: { details }, answered }), { mayHaveRun });
  }

  /** Parses the response to a failed request: usually a Status, but a proxy may return anything. */
  static fromResponse(httpStatus: number, body: unknown, during: string): ClusterError {
    const status = parseStatus(body);
    const detail = status.message || `The cluster answered ${httpStatus} to ${during}`;
    const kind = UNREADABLE.test(detail) ? 'invalid' : toErrorKind(httpStatus, status.reason);
    return new ClusterError(kind, detail, { status, answered: httpStatus });
  }
}

const PASSING: ReadonlySet<ClusterErrorKind> = new Set(['unreachable', 'timeout', 'throttled', 'unavailable']);

/** Reports whether an error is a fault of a cluster that may be over in a moment. */
export const isPassing = (error: unknown): error is ClusterError =>
  error instanceof ClusterError && PASSING.has(error.kind);

/** Messages of server-side apply, with status 500, for an object that does not match its schema. */
const UNREADABLE = /^failed to (create typed|convert new)|cannot be handled as a|unable to convert unstructured/;

const REMEDIES: Record<ClusterErrorKind, string> = {
  unreachable: 'Check the address of the connection and that the cluster is running and reachable from this server.',
  timeout: 'Check that the cluster is responsive, then try again.',
  unauthorized: 'Renew the credential of the connection.',
  forbidden: 'Grant the missing right to the user of the credential, with a Role or ClusterRole.',
  notFound: 'Check that the object, its namespace and its kind exist on the cluster.',
  notSupported:
    'Check which operations the cluster supports for this kind, and that its definition is not being deleted.',
  alreadyExists: 'Choose another name, or deploy with adopt: true to take the object over.',
  conflict: 'Try again: the object was changed on the cluster concurrently.',
  expired: 'Try again.',
  invalid: 'Correct the fields that the cluster names.',
  throttled: 'Try again in a minute: the cluster limits how often it is called.',
  unavailable: 'Check that the API server of the cluster is healthy, then try again.',
  tooLarge: 'Make the object smaller: the cluster takes no object of this size.',
  protocol: 'Check that the address of the connection is that of a Kubernetes API server.',
  failed: 'See the log of the API server of the cluster, then try again.',
};

const toErrorCode = (kind: string): string =>
  `CLUSTER_${kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** The codes of all kinds. */
export const CLUSTER_ERROR_CODES: readonly string[] = Object.keys(REMEDIES).map(toErrorCode);

/** Parses a Status; omits malformed and too long fields, because the response may be corrupt or malicious. */
function parseStatus(body: unknown): Status {
  const { kind, message, reason, details } = toRecord(body);
  if (kind !== 'Status') return {};
  const { causes, ...about } = toRecord(details);
  const listed = Array.isArray(causes) ? causes.slice(0, MAX_CAUSES).map(toRecord) : [];
  return {
    ...pickTexts({ message: toPlain(message) }),
    ...pickTexts({ reason }, MAX_NAME_LENGTH),
    details: {
      ...pickTexts({ name: about['name'], group: about['group'], kind: about['kind'] }, MAX_NAME_LENGTH),
      causes: listed
        .map((cause) =>
          pickTexts(
            { reason: cause['reason'], message: toPlain(cause['message']), field: cause['field'] },
            MAX_NAME_LENGTH,
          ),
        )
        .filter((cause) => Object.keys(cause).length > 0),
    },
  };
}

const toPlain = (said: unknown): unknown => (typeof said === 'string' ? toPlainClusterText(said) : said);

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the members that are strings, sanitized. */
function pickTexts<K extends string>(members: Record<K, unknown>, longest?: number): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const name in members) {
    const text = sanitizeClusterText(members[name], longest);
    if (text !== '') found[name] = text;
  }
  return found;
}

function toErrorKind(httpStatus: number, reason?: string): ClusterErrorKind {
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
    case 405:
      return 'notSupported';
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
