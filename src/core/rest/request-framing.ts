import type { NextFunction, Request, Response } from 'express';
import { AppError, InvalidRequest } from '../errors/app-error.js';

/** The body is not read, so the connection cannot be reused. */
const CLOSE = { Connection: 'close' };

/** Reports whether the client waits for 100 Continue before it sends the body. HTTP/1.0 has no such response (RFC 9110, section 10.1.1). */
export const awaitsContinue = ({ headers, httpVersion }: Request): boolean =>
  httpVersion !== '1.0' && /^100-continue$/i.test(headers.expect ?? '');

/**
 * Rejects requests that the parser of Node.js accepts and this server does not support: expectations other than 100-continue
 * (RFC 9110, section 10.1.1) and transfer codings other than chunked (RFC 9112, section 6.1).
 */
export function refuseUnknownFraming(request: Request, _response: Response, next: NextFunction): void {
  next(findExpectationFault(request) ?? findCodingFault(request));
}

function findExpectationFault(request: Request): AppError | undefined {
  const { expect } = request.headers;
  if (expect === undefined || request.httpVersion === '1.0' || awaitsContinue(request)) return undefined;
  return new AppError(417, 'EXPECTATION_FAILED', 'Expectation failed', `the expectation ${expect} is not known`, {
    remedy: 'Leave the header Expect out, or send "Expect: 100-continue".',
    headers: CLOSE,
  });
}

function findCodingFault({ headers, httpVersion }: Request): AppError | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion === '1.0')
    return new InvalidRequest('HTTP/1.0 has no Transfer-Encoding', {
      remedy: 'Send the body with its Content-Length, or use HTTP/1.1.',
      headers: CLOSE,
    });
  if (/^chunked$/i.test(coding)) return undefined;
  return new AppError(501, 'UNKNOWN_CODING', 'Not implemented', `the Transfer-Encoding ${coding} is not known`, {
    remedy: 'Send "Transfer-Encoding: chunked" or a Content-Length; a compressed JSON body has a Content-Encoding.',
    headers: CLOSE,
  });
}
