import type { Request } from 'express';
import { redactedPath } from './access-log.js';

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
