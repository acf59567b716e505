import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FortioLoad } from './fortio.js';
import { percentile } from './latency-histogram.js';
import type { GeneratorTask, LoadPlan } from './load-plan.js';
import type { Slice } from './measurement.js';

let scratch: string;
beforeAll(async () => (scratch = await mkdtemp(join(tmpdir(), 'fortio-'))));
afterAll(() => rm(scratch, { recursive: true }));

/** A program in place of fortio. */
async function program(name: string, source: string): Promise<string> {
  const path = join(scratch, name);
  await writeFile(path, `#!${process.execPath}\n${source}`);
  await chmod(path, 0o700);
  return path;
}

const FIXED = { method: 'GET', model: 'closed', rate: 100, connections: 4, seconds: 2, timeout: 3 } as const;

async function drive(program: string, plan: Partial<LoadPlan> = {}, task: Partial<GeneratorTask> = {}) {
  const slices: Slice[] = [];
  const given = { ...FIXED, endpoint: 'http://shop.example.com/a?b=c', protocol: 'http/1.1', ...plan } as const;
  await new FortioLoad(
    { generator: 'fortio', program, address: '127.0.0.1', headers: {}, body: '', ...task, plan: given },
    (slice) => slices.push(slice),
    () => undefined,
  ).run();
  return slices;
}

/** What fortio prints of a run; buckets of 10 and 20 ms. */
const RESULTS = {
  RunType: 'HTTP',
  ActualDuration: 2e9,
  RetCodes: { '200': 90, '503': 8, '-1': 2 },
  DurationHistogram: {
    ...{ Count: 100, Min: 0.009, Max: 0.02, Sum: 1.25, Avg: 0.0125, StdDev: 0.004 },
    Data: [
      { Start: 0.009, End: 0.01, Percent: 75, Count: 75 },
      { Start: 0.0199, End: 0.02, Percent: 100, Count: 25 },
    ],
    Percentiles: null,
  },
  Sizes: { Count: 100, Sum: 12_345 },
};
const printing = (results: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(results))});`;

describe('load by fortio', () => {
  it('is what fortio reports, with statuses as answers and all else as errors', async () => {
    const [slice, ...more] = await drive(await program('reported', printing(RESULTS)));
    expect(more).toEqual([]);
    expect(slice).toMatchObject({
      ...{ start: 0, length: 2_000, bytes: 12_345 },
      ...{ statuses: { '200': 90, '503': 8 }, errors: { 'the request failed': 2 } },
      latencies: { count: 100, min: 0.009, max: 0.02, sum: 1.25 },
    });
    expect(percentile(slice!.latencies, 50)).toBeCloseTo(0.0095, 3);
    expect(percentile(slice!.latencies, 90)).toBeCloseTo(0.01995, 3);
  });

  it('has no latencies when nothing was answered', async () => {
    const none = { ...RESULTS, RetCodes: { '-1': 100 }, Sizes: null };
    const [slice] = await drive(await program('none', printing(none)));
    expect(slice).toMatchObject({ bytes: 0, errors: { 'the request failed': 100 }, latencies: { count: 0 } });
  });

  it('asks for the address that was let through, with nothing of the environment, and the body in no file that stays', async () => {
    const path = await program(
      'asked',
      `const given = process.argv.slice(2);
      const body = given.includes('/dev/stdin') ? require('node:fs').readFileSync('/dev/stdin', 'utf8') : null;
      console.error(JSON.stringify([given, Object.keys(process.env), body]));`,
    );
    const said = async (
      plan: Partial<LoadPlan>,
      task: Partial<GeneratorTask>,
    ): Promise<[string[], string[], string | null]> => {
      const error: unknown = await drive(path, plan, task).catch((thrown: unknown) => thrown);
      return JSON.parse((error as Error).message.replace('fortio has no results: ', '')) as [
        string[],
        string[],
        string | null,
      ];
    };
    const [http, environment, body] = await said({ method: 'POST' }, { body: 'text', headers: {} });
    expect(http.slice(http.indexOf('-resolve'))).toEqual([
      ...['-resolve', '127.0.0.1', '-X', 'POST', '-payload-file', '/dev/stdin', 'http://shop.example.com/a?b=c'],
    ]);
    expect(body).toBe('text');
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('load-'))).toEqual([]);
    expect(environment.filter((name) => !name.startsWith('__') && name !== 'SSL_CERT_FILE')).toEqual([]);
    const [grpc] = await said({ protocol: 'grpc', endpoint: 'http://shop.example.com:81/' }, { address: '::1' });
    expect(grpc.slice(-2)).toEqual(['-grpc', '[::1]:81']);
    const [http2] = await said({ protocol: 'http/2' }, { address: '::1' });
    expect(http2).toEqual(expect.arrayContaining(['-resolve', '[::1]', '-h2', '-stdclient']));
  });

  it.each([
    ['nothing', ''],
    ['no JSON', `console.log('what is this');`],
    ['something else', `console.log('{}');`],
    ['no counts', printing({ ...RESULTS, RetCodes: { '200': 'many' } })],
    ['no times', printing({ ...RESULTS, DurationHistogram: { ...RESULTS.DurationHistogram, Sum: null } })],
    ['less than nothing', printing({ ...RESULTS, ActualDuration: -1 })],
    ['no end', `setInterval(() => process.stdout.write('x'.repeat(1e6)), 1);`],
    ['an error', `console.error('no such option'); process.exit(1);`],
  ])('fails when fortio reports %s', async (name, source) => {
    await expect(drive(await program(name.replaceAll(' ', '-'), source))).rejects.toThrow(/fortio has no results/);
  });
});
