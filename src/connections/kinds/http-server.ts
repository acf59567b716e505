import { type AppError, RemoteFailure } from '../../core/errors/app-error.js';

type Json = Record<string, unknown>;

/** The authentication headers of a call: with a token, else with a user name and a password. */
export function authorization(secret: Json | null): Record<string, string> {
  if (typeof secret?.['token'] === 'string') return { authorization: `Bearer ${secret['token']}` };
  if (typeof secret?.['username'] !== 'string') return {};
  const pair = `${secret['username']}:${typeof secret['password'] === 'string' ? secret['password'] : ''}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A 502 error: the server is not of the kind that the connection states. */
export function unexpectedResponse(what: string): AppError {
  return new RemoteFailure('CONNECTION_NOT_UNDERSTOOD', `the address answers, but not as ${what} does`, {
    remedy: 'Check the url of the connection.',
  });
}

/** A 502 error: the server redirects, which is followed nowhere, because it could lead the secret to any path. */
export function redirected(what: string, status: number): AppError {
  return new RemoteFailure('CONNECTION_REDIRECTED', `${what} answered ${status}, which is not followed`, {
    remedy: 'Change the url of the connection to the address that it redirects to.',
  });
}

/**
 * A 502 error: the server responded with an error.
 *
 * @param message what the server says, without secrets
 */
export function failedResponse(what: string, status: number, message = ''): AppError {
  const said = message && `: ${message}`;
  if (status === 401 || status === 403)
    return new RemoteFailure('CONNECTION_DENIED', `${what} answered ${status}; the credential is not accepted${said}`, {
      remedy: 'Change the credential of the connection.',
    });
  return new RemoteFailure('CONNECTION_FAILED', `${what} answered ${status}${said}`, {
    remedy: remedyOf(what, status),
  });
}

function remedyOf(what: string, status: number): string {
  if (status === 429) return `Wait before you ask again: ${what} limits how often it is asked.`;
  if (status >= 500) return `Try again later; if it stays so, look at the log of ${what}.`;
  return 'Check the url of the connection.';
}
