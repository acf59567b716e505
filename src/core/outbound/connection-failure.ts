import { STATUS_CODES } from 'node:http';
import { errors } from 'undici';

/** Explanations of error codes of failed connections. */
const MEANINGS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name cannot be resolved at the moment',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the response took too long',
  UND_ERR_BODY_TIMEOUT: 'the response took too long',
  UND_ERR_HEADERS_OVERFLOW: 'the header of the response is too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response has another length than its Content-Length',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'a certificate of the chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of the certificate is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of the certificate is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
};

/** A failure between this server and a proxy. */
export class ProxyFailure extends Error {
  private constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  static refused(status: number): ProxyFailure {
    const meaning = STATUS_CODES[status] ? ` ${STATUS_CODES[status]}` : '';
    return new ProxyFailure('PROXY_REFUSED', `the proxy answered ${status}${meaning} instead of opening a tunnel`);
  }

  static fromError(error: unknown): ProxyFailure {
    const closed = getCode(error) === 'UND_ERR_SOCKET';
    return closed
      ? new ProxyFailure('PROXY_CLOSED', 'the proxy closed the connection', { cause: error })
      : new ProxyFailure('PROXY_UNREACHABLE', `the proxy cannot be reached: ${describeConnectionFailure(error)}`, {
          cause: error,
        });
  }
}

/**
 * Explains why a connection failed. For unknown errors it reports only the code, because messages may contain
 * resolved addresses.
 */
export function describeConnectionFailure(error: unknown): string {
  if (error instanceof ProxyFailure) return error.message;
  if (error instanceof errors.HTTPParserError) return 'the response is not HTTP';
  const code = getCode(error);
  if (code === undefined) return 'the connection failed';
  const meaning = MEANINGS[code];
  return meaning ? `${meaning} (${code})` : code;
}

function getCode(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
