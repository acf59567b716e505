import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, HttpCode, Module, Res } from '@nestjs/common';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { wrapReply } from './reply.js';

@Controller()
class Routes {
  @Get('at-once')
  @HttpCode(202)
  atOnce(): object {
    return { a: 1 };
  }

  @Get('later')
  later(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.status(203);
    return Promise.resolve('text');
  }

  @Get('nothing')
  nothing(): void {
    return;
  }

  @Get('own')
  own(@Res() response: Response): void {
    response.send('own');
  }
}

@Module({ controllers: [Routes] })
class App {}

let app: NestExpressApplication;
const seen: unknown[] = [];
beforeAll(async () => {
  app = await NestFactory.create<NestExpressApplication>(App, { logger: false });
  wrapReply(app.get(HttpAdapterHost), (reply) => (response, body, status) => {
    seen.push([response.req.path, body, status]);
    return reply(response, body === undefined ? body : { wrapped: body }, status);
  });
  await app.listen(0, '127.0.0.1');
});
afterAll(() => app.close());
beforeEach(() => void seen.splice(0));

const get = async (path: string): Promise<{ status: number; text: string }> => {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

it.each([
  ['/at-once', { a: 1 }, 202, '{"wrapped":{"a":1}}'],
  ['/later', 'text', 203, '{"wrapped":"text"}'],
  ['/nothing', undefined, 200, ''],
])('is called with what the handler of %s returns, once its status is set', async (path, body, status, text) => {
  expect(await get(path)).toEqual({ status, text });
  expect(seen).toEqual([[path, body, undefined]]);
});

it('is not called for a handler that writes the response itself', async () => {
  expect(await get('/own')).toEqual({ status: 200, text: 'own' });
  expect(seen).toEqual([]);
});

it('is called for an error, with its status', async () => {
  expect((await get('/missing')).status).toBe(404);
  expect(seen).toEqual([['/missing', expect.objectContaining({ statusCode: 404 }), 404]]);
});
