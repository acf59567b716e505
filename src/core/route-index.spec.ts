import { RouteIndex } from './route-index.js';

const ROUTES = [
  '/api/pattern/types',
  '/api/pattern/:id',
  '/api/pattern/:id/clone',
  '/api/:kind/status',
  '/files/*path',
  '/',
];

describe('The index of routes', () => {
  const index = new RouteIndex<string>();
  for (const route of ROUTES) index.add(route, route);

  it.each([
    ['/api/pattern/types', ['/api/pattern/types', '/api/pattern/:id']],
    ['/API/Pattern/Types/', ['/api/pattern/types', '/api/pattern/:id']],
    ['/api/pattern/status', ['/api/pattern/:id', '/api/:kind/status']],
    ['/api/pattern/x/clone', ['/api/pattern/:id/clone']],
    ['/files/a/b/c', ['/files/*path']],
    ['/', ['/']],
    ['/api/pattern', []],
    ['/api/pattern/x/clone/y', []],
    ['/api//types', []],
  ])('finds for %s what may match, in the order of adding', (path, found) => {
    expect(index.find(path)).toEqual(found);
  });

  it('takes no text of a path for a property of objects', () => {
    expect(index.find('/constructor')).toEqual([]);
    expect(index.find('/api/__proto__/status')).toEqual(['/api/:kind/status']);
  });
});
