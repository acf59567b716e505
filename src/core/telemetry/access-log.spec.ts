import { EventEmitter } from 'node:events';
import type { Request } from 'express';
import { accessLogMiddleware, redactedPath } from './access-log.js';
import { noteFailure, type RequestContext, runInRequestContext } from './request-context.js';

const TOKEN = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6';
const pathOf = (originalUrl: string, route?: string): string =>
  redactedPath({ originalUrl, route: route === undefined ? undefined : { path: route } } as Request);

describe('redactedPath', () => {
  it('logs the route where the path has a token', () => {
    expect(pathOf(`/api/auth/invitations/${TOKEN}`, '/api/auth/invitations/:token')).toBe(
      '/api/auth/invitations/:token',
    );
  });

  it.each([
    `/api/auth/invitations/${TOKEN}`,
    `/api/auth//invitations/${TOKEN}/more`,
    `https://armature.example/api/auth/invitations/${TOKEN}?x=1`,
  ])('logs no token of a path without a route: %s', (url) => {
    for (const route of [undefined, '*path']) {
      expect(pathOf(url, route)).not.toContain(TOKEN.slice(0, 20));
      expect(pathOf(url, route)).toContain('/invitations/[redacted]');
    }
  });

  it('logs ids and names unchanged', () => {
    const path = '/api/pattern/01a20629-4003-715b-851a-0caa9bd8ca5d';
    expect(pathOf(`${path}?search=x`)).toBe(path);
    expect(pathOf(path, '/api/pattern/:id')).toBe(path);
  });
});

describe('the line of a request', () => {
  /** What is logged of a response that noted these failures. */
  function logOf(statusCode: number, ...failures: { code: string; status: number; cause?: Error }[]): unknown[] {
    const lines: unknown[] = [];
    const write = (level: string) => (fields: Record<string, unknown>) => void lines.push([level, fields]);
    const logger = { isLevelEnabled: () => true, info: write('info'), warn: write('warn'), error: write('error') };
    const metrics = { requests: { observe: () => undefined } };
    const log = accessLogMiddleware(logger as never, metrics as never, ['/api/system/graphql/query']);
    const request = { method: 'POST', originalUrl: '/api/system/graphql/query' } as Request;
    const response = Object.assign(new EventEmitter(), { headersSent: true, writableFinished: true, statusCode });
    runInRequestContext({ requestId: 'r', response: {} } as RequestContext, () => {
      log(request as never, response as never, () => undefined);
      for (const failure of failures) noteFailure(failure);
      response.emit('close');
    });
    return lines;
  }

  it('is an error where GraphQL hides a fault of the server behind the status 200, and names the worst one', () => {
    const refused = { code: 'NOT_FOUND', status: 404 };
    const outage = { code: 'DATABASE_UNAVAILABLE', status: 503, cause: new Error('ECONNREFUSED') };
    expect(logOf(200, refused, outage, { code: 'CLUSTER_TIMEOUT', status: 503 })).toEqual([
      ['error', expect.objectContaining({ status: 200, code: 'DATABASE_UNAVAILABLE', cause: 'ECONNREFUSED' })],
    ]);
    expect(logOf(200, refused)).toEqual([['info', expect.not.objectContaining({ code: 'NOT_FOUND' })]]);
    expect(logOf(503, outage)).toEqual([['warn', expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' })]]);
  });
});
