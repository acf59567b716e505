import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ConstantHeadersResponse } from './http-messages.js';

/** Combines middlewares in this order, so that the router matches the path once for all of them. */
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

/** Caches headers that are the same for every response; each handler runs once to determine them. */
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
