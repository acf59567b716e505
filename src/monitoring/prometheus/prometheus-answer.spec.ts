import { explainPrometheusError, readPrometheusAnswer } from './prometheus-answer.js';

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));
const read = (data: unknown, limit?: number): unknown =>
  JSON.parse(new TextDecoder().decode(readPrometheusAnswer({ bytes: bytesOf({ status: 'success', data }), limit })));

it('an answer within the limit is sent byte for byte', () => {
  const bytes = new TextEncoder().encode('{ "status" : "success", "data" : ["a", "b"] }');
  expect(readPrometheusAnswer({ bytes, limit: 2 })).toBe(bytes);
});

it.each([
  ['names', ['a', 'b', 'c'], ['a', 'b']],
  ['metrics', { a: [], b: [], c: [] }, { a: [], b: [] }],
  ['series', { resultType: 'vector', result: [1, 2, 3] }, { resultType: 'vector', result: [1, 2] }],
])('more %s than the limit are cut off, with a warning', (_, data, shown) => {
  expect(read(data, 2)).toEqual({ status: 'success', data: shown, warnings: ['results truncated due to limit'] });
});

it('a scalar is not cut', () => {
  const data = { resultType: 'scalar', result: [1, '2'] };
  expect(read(data, 1)).toEqual({ status: 'success', data });
});

it.each([
  '',
  '[]',
  '<html>',
  '{"status":"error","data":1}',
  '{"status":"success"}',
  '[[[[',
  '"success"',
  '{"status":"success","data":1',
])('%j is no answer of Prometheus', (text) => {
  expect(() => readPrometheusAnswer({ bytes: new TextEncoder().encode(text) })).toThrow('not as Prometheus does');
});

describe('an error of Prometheus', () => {
  const explain = (status: number, body: unknown) =>
    explainPrometheusError({ url: '', status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) }, (text) =>
      text.replaceAll('hush', '[redacted]'),
    );

  it('is 400 with its reason, bounded, in one line, without secrets and users of addresses', () => {
    const error = explain(422, { error: `hush\nhttp://me:pw@10.0.0.1/read ${'x'.repeat(1_000)}` });
    expect(error).toMatchObject({ status: 400, code: 'QUERY_REFUSED' });
    expect(error?.message).toContain('[redacted] http://10.0.0.1/read xxx');
    expect(error?.message.length).toBeLessThan(600);
  });

  it('is 504 when the query took too long', () => {
    expect(explain(503, { errorType: 'timeout', error: 'query timed out' })).toMatchObject({ status: 504 });
  });

  it.each([
    [500, { error: 'broken' }],
    [400, { error: 5 }],
    [400, null],
    [400, 'x'.repeat(200_000)],
  ])('of status %d that says nothing of the query is left to its status', (status, body) => {
    expect(explain(status, body)).toBeUndefined();
  });
});
