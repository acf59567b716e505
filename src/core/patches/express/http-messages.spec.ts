import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { type ConstantHeaders, type ConstantHeadersResponse, HttpMessages } from './http-messages.js';

describe('requests and responses of Express', () => {
  let server: Server;
  let url: string;
  const prototypes: boolean[] = [];

  beforeAll(async () => {
    const app = express();
    const messages = new HttpMessages();
    messages.shareWith(app);
    server = createServer(messages, (request, response) => {
      prototypes.push(Object.getPrototypeOf(request) === app.request, Object.getPrototypeOf(response) === app.response);
      app(request as Request, response as Response);
    });
    const constant: ConstantHeaders = [
      ['X-Frame-Options', 'SAMEORIGIN'],
      ['API-Version', 'v1'],
    ];
    app.use((_request, response: Response & Partial<ConstantHeadersResponse>, next) => {
      response.constantHeaders = constant;
      next();
    });
    app.get('/plain', (request, response) => void response.json({ host: request.hostname }));
    app.get('/head', (_request, response) => void response.writeHead(204, { 'x-frame-options': 'DENY' }).end());
    app.get('/own', (_request, response) => void response.setHeader('x-frame-options', 'DENY').end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => void server.close());

  it('have what Express gives them from the beginning', async () => {
    const response = await fetch(`${url}/plain`);
    expect(await response.json()).toEqual({ host: '127.0.0.1' });
    expect(prototypes.slice(0, 2)).toEqual([true, true]);
  });

  it('carry constant headers, once, unless they set them', async () => {
    const plain = await fetch(`${url}/plain`);
    expect([plain.headers.get('x-frame-options'), plain.headers.get('api-version')]).toEqual(['SAMEORIGIN', 'v1']);
    const own = await fetch(`${url}/own`);
    expect([own.headers.get('x-frame-options'), own.headers.get('api-version')]).toEqual(['DENY', 'v1']);
    const head = await fetch(`${url}/head`);
    expect([head.headers.get('x-frame-options'), head.headers.get('api-version')]).toEqual(['DENY', 'v1']);
  });
});
