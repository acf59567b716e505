import { Refusals } from '../authorization/refusals.js';
import { Controller, Delete, Get, type INestApplication, Module, Param, Post, Put, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ProblemFilter } from './problem.filter.js';
import { compareRoutes, isNarrower } from './route-precedence.js';
import { RouteTable } from './route-table.js';

@Controller('pattern')
class General {
  @Get(':id') get(@Param('id') id: string): string {
    return `get ${id}`;
  }
  @Put(':sourcetype') put(@Param('sourcetype') type: string): string {
    return `put ${type}`;
  }
  @Get(':id/deployments') deployments(): string {
    return 'deployments';
  }
  @Post(':kind/status') status(@Param('kind') kind: string): string {
    return `status of ${kind}`;
  }
}

@Controller('pattern')
class Narrow {
  @Get('types') types(): string {
    return 'types';
  }
  @Post('import') import(): string {
    return 'import';
  }
  @Get('deploy/deployments') all(): string {
    return 'all deployments';
  }
  @Delete('models/:model') model(@Param('model') model: string): string {
    return `delete ${model}`;
  }
}

@Module({ controllers: [General] })
class GeneralModule {}

@Module({ controllers: [Narrow] })
class NarrowModule {}

describe.each([
  ['first', [NarrowModule, GeneralModule]],
  ['last', [GeneralModule, NarrowModule]],
])('routes with a text where others have a parameter, registered %s', (_, modules: Type[]) => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: modules, providers: [RouteTable] }).compile();
    app = module.createNestApplication();
    app.setGlobalPrefix('api');
    app.useGlobalFilters(new ProblemFilter(app.get(RouteTable), new Refusals()));
    await app.listen(0, '127.0.0.1');
    url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  });
  afterAll(() => app.close());

  const call = (method: string, path: string): Promise<Response> => fetch(`${url}/api/pattern/${path}`, { method });

  it('are reached, and so are the others', async () => {
    const answers = [
      ['GET', 'types', 'types'],
      ['GET', 'deploy/deployments', 'all deployments'],
      ['POST', 'import', 'import'],
      ['GET', 'x', 'get x'],
      ['PUT', 'helm', 'put helm'],
      ['GET', 'x/deployments', 'deployments'],
      ['DELETE', 'models/x', 'delete x'],
      ['POST', 'models/status', 'status of models'],
    ] as const;
    for (const [method, path, expected] of answers) expect(await (await call(method, path)).text()).toBe(expected);
  });

  it('have no other methods: those of the route with the parameter are 405 with Allow', async () => {
    const answers = [
      ['GET', 'import', 'POST'],
      ['PUT', 'types', 'GET'],
      ['DELETE', 'x', 'GET, PATCH, PUT'],
    ] as const;
    for (const [method, path, allow] of answers) {
      const answer = await call(method, path);
      expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({ status: 405, allow });
    }
  });
});

describe('the precedence of routes', () => {
  it('is the same in whatever order they are sorted', () => {
    const routes = ['/a/:x', '/a', '/a/b', '/:y', '/a/b/:z', '/a/:x/c', '/a/b/c', '/*rest'];
    const expected = ['/a', '/a/b', '/a/b/c', '/a/b/:z', '/a/:x', '/a/:x/c', '/:y', '/*rest'];
    for (let turn = 0; turn < routes.length; turn++) {
      const turned = [...routes.slice(turn), ...routes.slice(0, turn)];
      expect(turned.sort(compareRoutes)).toEqual(expected);
      expect(turned.reverse().sort(compareRoutes)).toEqual(expected);
    }
  });

  it('says which route is narrower', () => {
    expect(isNarrower('/pattern/import', '/pattern/:id')).toBe(true);
    expect(isNarrower('/pattern/:id', '/pattern/import')).toBe(false);
    expect(isNarrower('/models/:model', '/:type/status')).toBe(false);
    expect(isNarrower('/pattern/:id', '/pattern/:sourcetype')).toBe(false);
    expect(isNarrower('/pattern', '/pattern/:id')).toBe(false);
  });
});
