import { parseMessage } from './json-rpc.js';

describe('a message of JSON-RPC', () => {
  it('is a request, a notification, or a response that nothing waits for', () => {
    expect(parseMessage({ jsonrpc: '2.0', id: 1, method: 'ping' })).toEqual({ id: 1, method: 'ping', params: {} });
    expect(parseMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ id: undefined });
    expect(parseMessage({ jsonrpc: '2.0', id: 1, result: {} })).toBeNull();
  });

  it.each([
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
    [{ id: 1, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }],
    [{ jsonrpc: '2.0', id: 1, method: 7 }],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['ping'],
    [null],
  ])('is none: %j', (message) => {
    expect(() => parseMessage(message)).toThrow(expect.objectContaining({ status: 400 }) as Error);
  });
});
