import { type ArgumentsHost, Catch, type ExceptionFilter, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Response } from 'express';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../errors/app-error.js';
import { PLAYGROUND_OPTIONS, PlaygroundController, type PlaygroundOptions } from './playground.controller.js';

@Catch(AppError)
class ShowError implements ExceptionFilter<AppError> {
  catch({ status, code, remedy }: AppError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(status).json({ code, remedy });
  }
}

const apps: INestApplication[] = [];

async function start(options: PlaygroundOptions): Promise<string> {
  const providers = [{ provide: PLAYGROUND_OPTIONS, useValue: options }];
  const module = await Test.createTestingModule({ controllers: [PlaygroundController], providers }).compile();
  const app = module.createNestApplication({ logger: false }).useGlobalFilters(new ShowError()).setGlobalPrefix('api');
  apps.push(app);
  await app.listen(0, '127.0.0.1');
  return `${await app.getUrl()}/api/system/graphql/playground`;
}

describe('The GraphQL playground', () => {
  let folder: string;
  let playground: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'playground-'));
    await writeFile(join(folder, 'index.html'), '<script src="{{base}}main-A1.js"></script>');
    await writeFile(join(folder, 'main-A1.js'), 'export {}');
    await writeFile(join(folder, '.key'), 'secret');
    playground = await start({ enabled: true, folder });
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await rm(folder, { recursive: true });
  });

  it('is a page that loads nothing from elsewhere and may stand in no frame', async () => {
    const response = await fetch(playground);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self'; .*frame-ancestors 'none'/);
    expect(response.headers.get('content-security-policy')).not.toMatch(/https?:|unsafe-eval|script-src/);
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('finds its files with and without a slash at the end of its path', async () => {
    for (const page of [playground, `${playground}/`]) {
      const source = /src="([^"]+)"/.exec(await (await fetch(page)).text())?.[1] ?? '';
      expect(new URL(source, page).href).toBe(`${playground}/main-A1.js`);
    }
  });

  it('has files that browsers may keep for good', async () => {
    const response = await fetch(`${playground}/main-A1.js`);
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it.each(['.key', 'index.html', 'main-B2.js', '..%2Fpackage.json', '%2e%2e%2fmain-A1.js', '..%5cmain-A1.js'])(
    'answers 404 for %s',
    async (file) => {
      expect((await fetch(`${playground}/${file}`)).status).toBe(404);
    },
  );

  it('answers 404 when it is off, its files too, and says how to have it', async () => {
    const off = await start({ enabled: false, folder });
    for (const address of [off, `${off}/main-A1.js`]) {
      const response = await fetch(address);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        remedy: expect.stringContaining('GRAPHQL_PLAYGROUND=on') as string,
      });
    }
  });

  it('says how to build it when it has not been built', async () => {
    const response = await fetch(await start({ enabled: true, folder: join(folder, 'none') }));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 'PLAYGROUND_NOT_BUILT', remedy: 'Run "npm run build".' });
  });
});
