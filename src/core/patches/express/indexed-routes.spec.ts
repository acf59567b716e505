import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { speedPatches } from '../speed.js';
import { arrangeRoutes, type RoutedApp } from './indexed-routes.js';

const { areApplied } = speedPatches;
afterAll(() => (speedPatches.areApplied = areApplied));

describe.each([true, false])('The routes of Express, sorted, with an index: %s', (isIndexed) => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const app = express();
    const reply = (text: string) => (request: Request, response: Response) =>
      void response.send(`${text} ${JSON.stringify(request.params)}`);
    app.get('/a/:id', reply('any'));
    app.get('/a/own', (_request, _response, next) => next('route'));
    app.put('/a/own', reply('put'));
    app.use('/between', (_request, response) => void response.send('between'));
    app.get('/b/:id', reply('b'));
    app.use((_request: Request, response: Response) => void response.status(404).send('none'));
    speedPatches.areApplied = isIndexed;
    arrangeRoutes(
      app as unknown as RoutedApp,
      (a, b) => Number(a.route?.path.includes(':')) - Number(b.route?.path.includes(':')),
    );
    await once((server = createServer(app)).listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  it.each([
    ['GET', '/a/x', 'any {"id":"x"}'],
    ['GET', '/a/own', 'any {"id":"own"}'],
    ['PUT', '/a/own', 'put {}'],
    ['GET', '/between/x', 'between'],
    ['GET', '/b/y', 'b {"id":"y"}'],
    ['DELETE', '/b/y', 'none'],
    ['GET', '/c', 'none'],
  ])('serve %s %s', async (method, path, expected) => {
    expect(await (await fetch(`${url}${path}`, { method })).text()).toBe(expected);
  });

  it('refuse a path that cannot be decoded', async () => {
    expect((await fetch(`${url}/b/%E0%A4%A`)).status).toBe(400);
  });
});
