import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ConstantHeadersResponse } from './http-messages.js';

/** Several middlewares as one, in this order: the router searches once for all of them. */
export function inOrder(...handlers: RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let index = 0;
    const next: NextFunction = (error?: unknown) => {
      const handler = error ? undefined : handlers[index++];
      if (!handler) return done(error);
      try {
        void handler(request, response, next);
      } catch (thrown) {
        done(thrown);
      }
    };
    next();
  };
}

/** Sets headers that are the same on every answer; what sets them is asked once. */
export function constantHeaders(...handlers: RequestHandler[]): RequestHandler {
  const headers: [string, string][] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  inOrder(...handlers)({} as Request, recorder as unknown as Response, () => undefined);
  return (_request, response: Response & Partial<ConstantHeadersResponse>, next) => {
    response.constantHeaders = headers;
    next();
  };
}
