import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Actor } from '../src/core/access/actor.js';
import { Env } from '../src/core/config/env.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import { ProfilesStore } from '../src/performance/profiles/profiles.store.js';
import { JobHandlerRegistry } from '../src/jobs/job-handler.registry.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { RunsStore } from '../src/performance/runs/runs.store.js';
import { RUNS_QUEUE } from '../src/performance/runs/run-job.js';
import { ScheduledRunsService } from '../src/performance/runs/scheduled-runs.service.js';
import { Receiver } from './support/receiver.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { SELF_SIGNED } from './support/self-signed.js';
import { compiledProgram } from './support/programs.js';
import { withShiftedClock } from './support/shifted-clock.js';
import { listProcesses } from './support/processes.js';
import { until } from './support/until.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const PROFILES = '/api/performance/profiles';
const RESULTS = '/api/performance/results';
const RUNS = '/api/performance/runs';

let world: World;
let people: People;
let scene: WorkspaceScene;
let target: Receiver;
let editor: Person;

beforeAll(async () => {
  world = await World.start({
    OUTBOUND_ALLOW: '127.0.0.1/32',
    LIMIT_PERFORMANCE_ORGANIZATION_RUNS: '4',
    LIMIT_PERFORMANCE_CONNECTIONS: '8',
  });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
  editor = people.editor;
  target = await Receiver.start();
  target.answer = (response) => void response.end('hello');
}, 120_000);
afterAll(async () => {
  await world.stop();
  await target.stop();
});

const profileOf = async (fields: object = {}): Promise<Json> =>
  done(
    editor.post(PROFILES, {
      ...{ name: 'shop', endpoints: [target.url], qps: 50, concurrent_request: 4, duration: '1s' },
      ...{ workspace_id: scene.id, ...fields },
    }),
  );
const runOf = async ({ id }: Json, body: object = {}): Promise<Json> =>
  done(editor.post(`${PROFILES}/${id}/run`, body));

/** The run, once it has ended. */
async function ended({ id }: Json): Promise<Json> {
  let run: Json;
  await until(async () => {
    run = await done(editor.get(`${RUNS}/${id}`));
    return run.finished_at !== null;
  }, 160_000);
  return run;
}

/** Does something while runs stay queued. */
async function whileNothingBegins<T>(work: () => Promise<T>): Promise<T> {
  const handler = world.get(JobHandlerRegistry).find(RUNS_QUEUE)!;
  const { concurrency } = handler;
  handler.concurrency = 0;
  try {
    return await work();
  } finally {
    handler.concurrency = concurrency;
  }
}

/** Processes of load generators that this one has started. */
const generators = (): string[] =>
  listProcesses()
    .filter(({ parent, command }) => parent === process.pid && command.includes('generator-entry'))
    .map(({ command }) => command);

describe('performance profiles', () => {
  it('are created, read, changed and deleted', async () => {
    const profile = await profileOf({ name: 'first', budget: { p99_ms: 200 }, metadata: { team: 'a' } });
    expect(profile).toMatchObject({
      ...{ name: 'first', workspace_id: scene.id, user_id: editor.id, qps: 50, concurrent_request: 4, duration: '1s' },
      ...{ load_model: 'open', method: 'GET', protocol: 'http/1.1', total_results: 0, last_run: null, schedule: null },
    });
    const path = `${PROFILES}/${profile.id}`;
    expect(await done(people.viewer.get(path))).toEqual(profile);
    expect(await done(people.viewer.get(path.replace('/api/', '/api/user/')))).toEqual(profile);
    const changed = await done(editor.put(path, { ...profile, qps: 0, load_model: 'closed', budget: null }));
    expect(changed).toMatchObject({ qps: 0, load_model: 'closed', budget: null, metadata: { team: 'a' } });
    expect((await people.viewer.put(path, { qps: 1 })).status).toBe(403);
    expect((await editor.delete(path)).status).toBe(403);
    expect((await people.outsider.get(path)).status).toBe(404);
    expect((await people.admin.delete(path)).status).toBe(200);
    expect((await editor.get(path)).status).toBe(404);
  });

  it('that say nothing of their load stay within what the operator allows', async () => {
    const { status, body } = await editor.post(PROFILES, {
      ...{ name: 'preset', endpoints: [target.url], workspace_id: scene.id },
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { concurrent_request: 8, duration: '30s', qps: 0 } });
    const more = await editor.put(`${PROFILES}/${body.id}`, { concurrent_request: 9 });
    expect(more.body.errors).toEqual([
      {
        pointer: '/concurrent_request',
        detail: 'must be at most 8 connections',
        remedy: 'Ask for less. The operator raises this limit with LIMIT_PERFORMANCE_CONNECTIONS.',
      },
    ]);
  });

  it('never show what headers and cookies hold, and keep it when it is sent back', async () => {
    const profile = await profileOf({
      request_headers: { authorization: 'Bearer hush-1', 'x-a': 'hush-2' },
      request_cookies: 'session=hush-3; theme=dark',
      request_body: '{"a":1}',
      content_type: 'application/json',
    });
    const path = `${PROFILES}/${profile.id}`;
    expect(profile).toMatchObject({ request_body: '{"a":1}', method: 'POST' });
    expect(JSON.parse(profile.request_headers as string)).toEqual({ authorization: '[redacted]', 'x-a': '[redacted]' });
    await done(editor.put(path, await done(editor.get(path))));
    await done(editor.put(path, { request_headers: { authorization: '[redacted]', 'x-b': 'new' } }));
    await ended(await runOf(profile));
    const seen = target.received.at(-1);
    expect(seen).toMatchObject({
      headers: { authorization: 'Bearer hush-1', 'x-b': 'new', cookie: 'session=hush-3; theme=dark' },
      body: '{"a":1}',
    });
    expect(seen?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(seen?.headers).not.toHaveProperty('x-a');
    const shown = [await editor.get(path), await editor.get(RUNS), await editor.get(`/api/events?pagesize=100`)];
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(JSON.stringify(await world.sql('SELECT p::text FROM performance_profile p'))).not.toContain('hush');
  }, 240_000);

  it('send what headers and cookies hold to another server, path, method or host only when it is sent anew', async () => {
    const elsewhere = 'http://127.0.0.1:9/';
    const profile = await profileOf({
      request_headers: { authorization: 'Bearer hush-4' },
      request_cookies: 'a=hush-5',
    });
    const path = `${PROFILES}/${profile.id}`;
    const required = { status: 400, body: { code: 'SECRET_REQUIRED', errors: [{ pointer: '/request_headers' }] } };
    const moves = [{ endpoints: [`${target.url}/other`] }, { method: 'PUT' }];
    for (const move of moves) expect(await editor.put(path, move)).toMatchObject(required);
    const request_headers = { authorization: '[redacted]', Host: 'other.example' };
    expect(await editor.put(path, { request_headers })).toMatchObject(required);
    await done(editor.put(path, { endpoints: profile.endpoints, method: profile.method, qps: 5 }));
    const hidden = { request_headers: profile.request_headers, request_cookies: profile.request_cookies };
    for (const kept of [{}, hidden, { request_cookies: null }])
      expect(await editor.put(path, { endpoints: [target.url, elsewhere], ...kept })).toMatchObject(required);
    const anew = { request_headers: { authorization: 'Bearer other' }, request_cookies: null };
    expect(await done(editor.put(path, { endpoints: [elsewhere], ...anew }))).toMatchObject({ endpoints: [elsewhere] });
    expect((await done(editor.get(path))).request_cookies).toBe('');
    const old = `${target.url}/old`;
    await done(editor.put(path, { endpoints: [old, elsewhere], ...anew }));
    const queued = await whileNothingBegins(async () => {
      const runs = [await runOf(profile), await runOf(profile, { endpoint: elsewhere })];
      const entered = { request_headers: { authorization: 'Bearer hush-7' } };
      await done(editor.put(path, { endpoints: [`${target.url}/new`, elsewhere], ...entered }));
      return runs;
    });
    expect(await ended(queued[0])).toMatchObject({
      ...{ status: 'failed', started_at: null },
      error: { code: 'PROFILE_CHANGED', status: 409, remedy: expect.stringContaining('Run the test again') },
    });
    expect(target.at('/old')).toEqual([]);
    // The other endpoint is still one of the profile.
    expect(await ended(queued[1])).toMatchObject({ status: 'failed', error: { code: 'TARGET_FAILED' } });
  }, 240_000);

  it('ask a connection nothing new for who does not see it', async () => {
    const connection = await done(
      people.owner.post('/api/integrations/connections', {
        ...{ name: 'metrics', kind: 'prometheus', organization_id: world.organization },
        metadata: { url: 'http://127.0.0.1:9' },
      }),
    );
    const profile = await profileOf();
    const path = `${PROFILES}/${profile.id}`;
    const asked = { metrics_connection_id: connection.id, metrics_queries: ['up'] };
    expect((await editor.put(path, asked)).status).toBe(404);
    const set = await done(people.owner.put(path, asked));
    expect((await editor.put(path, { metrics_queries: ['secret_series'] })).status).toBe(404);
    expect(await done(editor.put(path, { ...set, name: 'renamed' }))).toMatchObject({ ...asked, name: 'renamed' });
  });

  it.each([
    [{ endpoints: ['ftp://127.0.0.1/'] }, '/endpoints'],
    [{ endpoints: ['nonsense'] }, '/endpoints'],
    [{ endpoints: ['http://127.0.0.1/a\r\nX: y'] }, '/endpoints'],
    [{ endpoints: [] }, '/endpoints'],
    [{ qps: 1e9 }, '/qps'],
    [{ qps: -1 }, '/qps'],
    [{ qps: 0, load_model: 'open' }, '/load_model'],
    [{ concurrent_request: 100_000 }, '/concurrent_request'],
    [{ concurrent_request: 0, load_model: 'closed' }, '/concurrent_request'],
    [{ duration: '0s' }, '/duration'],
    [{ duration: '5s', stages: [{ qps: 1, duration: '2s' }] }, '/duration'],
    [{ stages: [{ qps: 1, duration: '0s' }], duration: undefined }, '/stages'],
    [{ stages: [{ qps: 1e9, duration: '2s' }], duration: undefined }, '/stages/0/qps'],
    [{ stages: [{ qps: -1, duration: '2s' }] }, '/stages'],
    [{ stages: [{ qps: 1 }] }, '/stages'],
    [
      { stages: [{ qps: 1, duration: '2s' }], duration: undefined, load_model: 'closed', concurrent_request: 1 },
      '/stages',
    ],
    [{ qps: 0.001 }, '/qps'],
    [{ timeout: '2m' }, '/timeout'],
    [{ duration: '2d' }, '/duration'],
    [{ duration: 'soon' }, '/duration'],
    [{ request_headers: { a: 'b\r\nX: y' } }, '/request_headers'],
    [{ request_headers: { 'a b': 'c' } }, '/request_headers'],
    [{ request_headers: { 'Content-Length': '1' } }, '/request_headers'],
    [{ request_headers: 'a: b' }, '/request_headers'],
    [{ request_headers: { 'X-A': '1', 'x-a': '2' } }, '/request_headers'],
    [{ request_headers: { Host: '' } }, '/request_headers'],
    [{ request_headers: { host: 'a b' } }, '/request_headers'],
    [{ request_headers: { 'transfer-encoding': 'chunked' } }, '/request_headers'],
    [{ request_cookies: { a: 'b\nc' } }, '/request_cookies'],
    [{ request_body: 'x'.repeat(70_000) }, '/request_body'],
    [{ load_generators: ['ab'] }, '/load_generators'],
    [{ budget: { p99: 1 } }, '/budget/p99'],
    [{ budget: { error_rate: 2 } }, '/budget'],
    [{ schedule: { cron: '0 0 30 2 *' } }, '/schedule/cron'],
    [{ schedule: { cron: 'often' } }, '/schedule/cron'],
    [{ schedule: { cron: '* * * * * *' } }, '/schedule/cron'],
    [{ schedule: { cron: '0 0 * * *', timezone: 'Mars/Olympus' } }, '/schedule/timezone'],
    [{ schedule: { every: 'day' } }, '/schedule/every'],
  ])('are refused with %j', async (fields, pointer) => {
    const { status, body } = await editor.post(PROFILES, {
      ...{ name: 'bad', endpoints: [target.url], workspace_id: scene.id, ...fields },
    });
    expect({ status, pointers: body.errors.map((each: Json) => each.pointer) }).toEqual({
      status: 400,
      pointers: [pointer],
    });
  });

  it('are refused for addresses that the outbound guard does not let through', async () => {
    for (const endpoint of [
      ...['http://127.0.0.2/', 'http://169.254.169.254/latest', 'http://10.0.0.1/', 'http://0.0.0.0/', 'http://[::]/'],
      ...['http://[::ffff:7f00:2]/', 'http://2130706434/', 'http://0177.0.0.2./', 'http://a:b@127.0.0.1/'],
    ]) {
      const { status, body } = await editor.post(PROFILES, {
        name: 'in',
        endpoints: [endpoint],
        workspace_id: scene.id,
      });
      expect({ status, code: body.code, pointers: body.errors.map((fault: Json) => fault.pointer) }).toEqual({
        ...{ status: 400, code: 'OUTBOUND_REFUSED', pointers: ['/endpoints/0'] },
      });
    }
  });
});

describe('runs', () => {
  it('measure a server, and their results have the form that clients in the field know', async () => {
    const prometheus = await Receiver.start();
    prometheus.answer = (answer, { path }) => {
      const refused = path.includes('nonsense');
      const series = { metric: { job: 'shop' }, values: [[1, '0.5']] };
      const good = { status: 'success', data: { resultType: 'matrix', result: [series] } };
      const bad = { status: 'error', errorType: 'bad_data', error: 'parse error' };
      answer.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify(refused ? bad : good));
    };
    const connection = await done(
      world.admin.post('/api/integrations/connections', {
        ...{ name: 'metrics', kind: 'prometheus', organization_id: world.organization },
        metadata: { url: prometheus.url },
      }),
    );
    const unseen = await editor.post(PROFILES, {
      ...{ name: 'x', endpoints: [target.url], workspace_id: scene.id, metrics_connection_id: connection.id },
    });
    expect(unseen.status).toBe(404);
    const environment = await scene.environment();
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connection.id}`));
    const profile = await profileOf({
      ...{ name: '<measured> & drawn', duration: '2s', budget: { p99_ms: 5_000, min_rps: 1_000 } },
      ...{ metrics_connection_id: connection.id, metrics_queries: ['up', 'nonsense('] },
    });
    const response = await editor.post(`${PROFILES}/${profile.id}/run`, { name: 'before the release' });
    expect(response).toMatchObject({
      status: 202,
      body: { status: 'queued', trigger: 'manual', profile_id: profile.id },
    });
    expect(response.headers.get('location')).toBe(`/api/operations/${response.body.id}`);
    const run = await ended(response.body);
    expect(run).toMatchObject({ status: 'succeeded', load_generator: 'autocannon', error: null, result_id: run.id });
    expect(run.progress).toMatchObject({ of: 2 });
    const result = await done(people.viewer.get(`${RESULTS}/${run.id}`));
    const { DurationHistogram: histogram, RetCodes: codes, ActualQPS: rate } = result.runner_results;
    expect(result).toMatchObject({
      ...{ name: 'before the release', performance_profile: profile.id, test_id: run.id, user_id: editor.id },
      ...{ errors: {}, load_generator: 'autocannon' },
      server_metrics: {
        connection_id: connection.id,
        queries: [
          { query: 'up', series: [{ labels: { job: 'shop' }, values: [[1, '0.5']] }], truncated: false },
          { query: 'nonsense(', series: [], error: 'Prometheus refuses the query: parse error' },
        ],
      },
      summary: { requests: 100, errors: 0, error_rate: 0 },
      budget: { passed: false },
    });
    expect(codes).toEqual({ '200': 100 });
    expect(rate).toBeGreaterThan(20);
    expect(histogram.Count).toBe(100);
    expect(histogram.Percentiles.map((each: Json) => each.Percentile)).toEqual([50, 75, 90, 95, 99, 99.9]);
    expect(histogram.Data.reduce((sum: number, each: Json) => sum + each.Count, 0)).toBe(100);
    expect(histogram.Data.at(-1).Percent).toBe(100);
    const failed = result.budget.checks.filter((each: Json) => !each.passed).map((each: Json) => each.name);
    expect(failed).toEqual(['min_rps']);
    expect(result.timeline.length).toBeGreaterThan(1);
    const list = await done(editor.get(`${PROFILES}/${profile.id}/results`));
    expect(list).toMatchObject({ total_count: 1, results: [{ id: run.id, runner_results: result.runner_results }] });
    expect(await done(editor.get(`${PROFILES}/${profile.id}`))).toMatchObject({ total_results: 1 });
    expect((await people.outsider.get(`${RESULTS}/${run.id}`)).status).toBe(404);
    const { events } = await done(world.admin.get('/api/events?category=performance&pagesize=100'));
    const actions = events.filter((each: Json) => each.acted_upon === run.id).map((each: Json) => each.action);
    expect(actions.sort()).toEqual(['budget_exceeded', 'started', 'success']);
    await prometheus.stop();

    const compare = `/api/performance/compare?a=${run.id}&b=${run.id}`;
    const comparison = await done(people.viewer.get(compare));
    expect(comparison).toMatchObject({ verdict: 'same', plan_differences: [], a: { id: run.id }, b: { id: run.id } });
    expect(comparison.warnings).toEqual([expect.stringMatching(/fewer than 5 seconds/)]);
    expect(result.warnings).toContainEqual(expect.stringMatching(/of 100 requests p99.9 is/));
    expect(comparison.figures[0]).toMatchObject({ name: 'mean_ms', difference: 0, verdict: 'same' });
    expect(await done(people.viewer.get(compare))).toEqual(comparison);
    expect((await people.outsider.get(compare)).status).toBe(404);
    expect((await editor.get(`/api/performance/compare?a=${run.id}`)).status).toBe(400);
    for (const path of [`${RESULTS}/${run.id}/chart.svg?theme=dark`, compare.replace('?', '/chart.svg?')]) {
      const chart = await people.viewer.get(path);
      expect(chart.headers.get('content-type')).toBe('image/svg+xml');
      expect(chart.body).toMatch(/^<svg .*<\/svg>$/s);
      expect(chart.body).not.toContain('<measured>');
    }
  }, 240_000);

  it('are followed over GraphQL, second by second', async () => {
    const profile = await profileOf({ name: 'followed', duration: '3s' });
    const pages: Json[] = [];
    const client = editor.socket();
    client.subscribe<Json>(
      {
        query: `subscription ($id: String!) { subscribePerfResults(selector: { page: "0", pageSize: "5" }, profileID: $id) {
          total_count results { id status progress runner_results server_metrics test_start_time } } }`,
        variables: { id: profile.id },
      },
      { next: ({ data }) => pages.push(data?.subscribePerfResults), error: () => undefined, complete: () => undefined },
    );
    await until(() => pages.length === 1);
    const run = await ended(await runOf(profile));
    await until(() => pages.at(-1).results[0]?.status === 'succeeded');
    const seconds = pages.map(({ results: [first] }) => first?.progress?.seconds as number | undefined);
    expect(new Set(seconds).size).toBeGreaterThanOrEqual(3);
    expect(pages.at(-1).results[0]).toMatchObject({ id: run.id, runner_results: { NumThreads: 4 } });
    await client.dispose();
    const late = '{ page: "0", pageSize: "5", updated_after: "2999-01-01T00:00:00Z" }';
    const none = await editor.graphql(`{ fetchAllResults(selector: ${late}) { total_count }
      getPerformanceProfiles(selector: ${late}) { total_count } }`);
    expect(none.body.data).toEqual({
      fetchAllResults: { total_count: 0 },
      getPerformanceProfiles: { total_count: 0 },
    });
    const { body } = await editor.graphql(
      `query ($id: String!, $run: ID!) {
         getPerformanceProfiles(selector: { page: "0", pageSize: "5", search: "followed" }) {
           total_count profiles { id name endpoints qps duration request_body last_run total_results } }
         fetchResults(selector: { page: "0", pageSize: "5" }, profileID: $id) { total_count results { id mesh } }
         fetchAllResults(selector: { page: "0", pageSize: "5" }) { page_size results { id } }
         getPerfResult(id: $run) { id test_id performance_profile server_metrics runner_results } }`,
      { id: profile.id, run: run.id },
    );
    expect(body).toMatchObject({
      data: {
        getPerformanceProfiles: { total_count: 1, profiles: [{ id: profile.id, total_results: 1, request_body: '' }] },
        fetchResults: { total_count: 1, results: [{ id: run.id }] },
        getPerfResult: { id: run.id, performance_profile: profile.id, server_metrics: null },
      },
    });
  }, 240_000);

  it('are cancelled, and leave no process behind', async () => {
    const profile = await profileOf({ name: 'cancelled', duration: '60s' });
    const [running, waiting] = [await runOf(profile), await runOf(profile)];
    await until(async () => (await done(editor.get(`${RUNS}/${running.id}`))).progress !== null, 120_000);
    expect(generators().length).toBeGreaterThan(0);
    expect((await people.viewer.post(`${RUNS}/${running.id}/cancel`)).status).toBe(403);
    expect((await people.outsider.post(`${RUNS}/${running.id}/cancel`)).status).toBe(404);
    expect(await done(editor.post(`${RUNS}/${waiting.id}/cancel`))).toMatchObject({ status: 'cancelled' });
    expect(await done(people.admin.post(`${RUNS}/${running.id}/cancel`))).toMatchObject({ status: 'cancelled' });
    const audit = `/api/identity/orgs/${world.organization}/audit?action=performance.cancelled&resource=${running.id}`;
    expect((await done(people.owner.get(audit))).entries).toMatchObject([{ on_behalf_of: { id: people.admin.id } }]);
    expect(await done(editor.post(`${RUNS}/${running.id}/cancel`))).toMatchObject({ status: 'cancelled' });
    await until(() => generators().length === 0);
    // What was measured until then is its result; a run that never began has none.
    const part = await done(editor.get(`${RESULTS}/${running.id}`));
    expect(part).toMatchObject({
      status: 'cancelled',
      warnings: expect.arrayContaining([expect.stringMatching(/was cancelled before its end/)]),
    });
    expect(part.summary.requests).toBeGreaterThan(0);
    expect((await editor.get(`${RESULTS}/${waiting.id}`)).status).toBe(404);
    const { runs } = await done(editor.get(`${RUNS}?profile_id=${profile.id}&status=cancelled`));
    expect(runs.map(({ id }: Json) => id).sort()).toEqual([running.id, waiting.id].sort());
    expect((await done(editor.get(`${RUNS}?profile_id=${profile.id}&status=failed`))).total_count).toBe(0);
    expect((await people.outsider.get(`${RUNS}?profile_id=${profile.id}`)).status).toBe(404);
    expect((await editor.get(`${RUNS}?status=lost`)).status).toBe(400);
  }, 240_000);

  it('end failed when their server is killed, with their load', async () => {
    const handler = world.get(JobHandlerRegistry).find(RUNS_QUEUE)!;
    const { concurrency } = handler;
    Object.assign(world.get(JobSettings), { heartbeatMs: 100 });
    handler.concurrency = 0;
    const program = await compiledProgram('test/server-replica.ts');
    const child = spawn(process.execPath, [program, world.get(DatabaseUrl).href, '6000'], {
      ...{ env: {}, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    try {
      await once(child.stdout, 'data');
      const before = target.received.length;
      const run = await runOf(await profileOf({ name: 'killed', duration: '60s' }));
      await until(() => target.received.length > before + 20, 150_000);
      await until(async () => (await done(editor.get(`${RUNS}/${run.id}`))).summary !== null);
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      expect(await ended(run)).toMatchObject({
        ...{ status: 'failed', result_id: run.id, restarts: 0 },
        error: { code: 'WORKER_LOST', remedy: expect.stringContaining('Run the test again') },
      });
      const after = target.received.length;
      await sleep(500);
      expect(target.received.length).toBe(after);
      const part = await done(editor.get(`${RESULTS}/${run.id}`));
      expect(part.warnings[0]).toMatch(/failed before its end/);
      expect(part.timeline.length).toBeGreaterThan(0);
    } finally {
      child.kill('SIGKILL');
      handler.concurrency = concurrency;
    }
  }, 240_000);

  it('end with their profile, are refused beyond what may run at a time, and keep one free for other organizations', async () => {
    const profile = await profileOf({ name: 'many', duration: '60s' });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => editor.post(`${PROFILES}/${profile.id}/run`)));
    const codes = answers.map(({ status, body }) => (status === 202 ? status : body.code)).sort();
    expect(codes).toEqual([202, 202, 202, 'TOO_MANY_RUNS', 'TOO_MANY_RUNS']);
    const neighbour = await world.outsider();
    const workspace = await done(
      neighbour.post('/api/workspaces', { name: 'next door', organization_id: neighbour.organization }),
    );
    const other = await done(
      neighbour.post(PROFILES, {
        ...{ name: 'shop', endpoints: [target.url], qps: 50, concurrent_request: 4, duration: '60s' },
        workspace_id: workspace.id,
      }),
    );
    const runs = [1, 2].map(() => neighbour.post(`${PROFILES}/${other.id}/run`));
    expect((await Promise.all(runs)).map(({ status }) => status).sort()).toEqual([202, 429]);
    await done(neighbour.delete(`${PROFILES}/${other.id}`));
    await done(people.admin.delete(`${PROFILES}/${profile.id}`));
    const unfinished = 'SELECT id FROM performance_run WHERE finished_at IS NULL';
    await until(async () => (await world.sql(unfinished)).length === 0);
    await until(() => generators().length === 0);
  }, 240_000);

  it('fail and say why when the target answers nothing', async () => {
    const servers: Server[] = [];
    const serve = async (server: Server): Promise<number> => {
      servers.push(server);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    };
    const closing = await serve(createServer((socket) => socket.on('error', () => undefined).destroy()));
    const garbage = await serve(
      createServer((socket) => void socket.on('error', () => undefined).write('what is this\r\n\r\n')),
    );
    const untrusted = await serve(createTlsServer(SELF_SIGNED));
    const reasons: Record<string, RegExp> = {
      [`http://127.0.0.1:${closing}/`]: /closed/,
      [`http://127.0.0.1:${garbage}/`]: /not HTTP/,
      [`https://127.0.0.1:${untrusted}/`]: /certificate/,
      'http://127.0.0.1:1/': /refused/,
    };
    const profile = await profileOf({ name: 'broken', endpoints: Object.keys(reasons) });
    for (const [endpoint, reason] of Object.entries(reasons)) {
      const run = await ended(await runOf(profile, { endpoint }));
      expect(run).toMatchObject({
        status: 'failed',
        error: { code: 'TARGET_FAILED', detail: expect.stringMatching(reason) },
      });
      expect((await editor.get(`${RESULTS}/${run.id}`)).status).toBe(404);
    }
    for (const server of servers) server.unref().close();
  }, 240_000);

  it('are made when their schedule comes, once over all who look', async () => {
    const schedule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };
    const profile = await profileOf({ name: 'scheduled', schedule });
    expect(Date.parse(profile.next_run_at as string)).toBeGreaterThan(Date.now());
    await world.sql(`UPDATE performance_profile SET next_run_at = now() - interval '2 days' WHERE id = $1`, [
      profile.id,
    ]);
    const scheduled = world.get(ScheduledRunsService);
    const asSystem = () =>
      runInRequestContext({ requestId: 'test', actor: Actor.system('a test') }, () => scheduled.startDue());
    // The clock of a server may be behind: what is next is so by the clock of the database.
    await withShiftedClock(-25 * 3_600_000, async () => void (await Promise.all([asSystem(), asSystem(), asSystem()])));
    const filter = encodeURIComponent(JSON.stringify({ profile_id: profile.id }));
    const { runs } = await done(editor.get(`${RUNS}?filter=${filter}`));
    expect(runs).toMatchObject([{ trigger: 'schedule', user_id: editor.id }]);
    const { next_run_at: next } = await done(editor.get(`${PROFILES}/${profile.id}`));
    expect(Date.parse(next as string)).toBeGreaterThan(Date.now());
    expect(await ended(runs[0])).toMatchObject({ status: 'succeeded' });
    expect(await done(editor.put(`${PROFILES}/${profile.id}`, { schedule: null }))).toMatchObject({
      next_run_at: null,
    });
  }, 240_000);

  it('of one organization whose schedules have come are not before all those of others', async () => {
    const schedule = { cron: '0 3 * * *' };
    const other = await done(
      people.outsider.post(PROFILES, { name: 'other', endpoints: [target.url], duration: '1s', schedule }),
    );
    const many = await Promise.all(['a', 'b', 'c'].map((name) => profileOf({ name, schedule })));
    const ids = many.map(({ id }) => id as string);
    const makeDue = `UPDATE performance_profile SET next_run_at = now() - $2::interval WHERE id = ANY($1)`;
    await world.sql(makeDue, [ids, '2 days']);
    await world.sql(makeDue, [[other.id], '1 day']);
    const due = await runInRequestContext({ requestId: 'test', actor: Actor.system('a test') }, () =>
      world.get(UnitOfWork).run(() => world.get(ProfilesStore).findDue(2, 1)),
    );
    expect(new Set(due.map(({ organizationId }) => organizationId))).toEqual(
      new Set([world.organization, other.organization_id]),
    );
    await world.sql('UPDATE performance_profile SET next_run_at = NULL WHERE id = ANY($1)', [[...ids, other.id]]);
  });

  it('read an address as its server is called, whatever its spelling', async () => {
    const spelled = `${target.url.replace('http', 'HTTP')}/Spelled?a=B#part`;
    const run = await ended(await runOf(await profileOf({ name: 'spelled', endpoints: [spelled] })));
    expect(run).toMatchObject({ status: 'succeeded', plan: { endpoint: `${target.url}/Spelled?a=B` } });
    expect(target.received.at(-1)).toMatchObject({
      path: '/Spelled?a=B',
      headers: { host: target.url.slice('http://'.length) },
    });
  }, 240_000);

  it('go to the address that was checked last, wherever a name moves', async () => {
    const { lookup } = dns.promises;
    /** What the name resolves to, one time after the other; the last for good. */
    let addresses: string[] = [];
    const moving = (name: string, ...rest: never[]): unknown => {
      if (name !== 'moving.example') return (lookup as (...all: unknown[]) => unknown)(name, ...rest);
      const address = addresses.length > 1 ? addresses.shift() : addresses[0];
      return Promise.resolve([{ address, family: 4 }]);
    };
    dns.promises.lookup = moving as never;
    syncBuiltinESMExports();
    try {
      addresses = ['127.0.0.1'];
      const endpoint = `${target.url.replace('127.0.0.1', 'moving.example')}/moving`;
      const profile = await profileOf({ name: 'moving', endpoints: [endpoint] });
      addresses = ['127.0.0.1', '10.0.0.1'];
      const refused = await ended(await runOf(profile));
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'OUTBOUND_REFUSED' } });
      expect(JSON.stringify(refused)).not.toContain('10.0.0.1');
      expect(target.at('/moving')).toEqual([]);
      addresses = ['127.0.0.1', '127.0.0.1', '10.0.0.1'];
      expect(await ended(await runOf(profile))).toMatchObject({ status: 'succeeded', summary: { errors: 0 } });
      expect(target.at('/moving')).toHaveLength(50);
      expect(addresses).toEqual(['10.0.0.1']);
      expect(await editor.post(`${PROFILES}/${profile.id}/run`)).toMatchObject({
        status: 400,
        body: { code: 'OUTBOUND_REFUSED' },
      });
    } finally {
      dns.promises.lookup = lookup;
      syncBuiltinESMExports();
    }
  }, 240_000);

  it('by fortio have the same form, and its output is not trusted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fortio-stub-'));
    const program = join(folder, 'fortio');
    const good = JSON.stringify({
      ...{ ActualDuration: 1e9, RetCodes: { '200': 10 }, Sizes: { Sum: 100 } },
      DurationHistogram: {
        ...{ Count: 10, Min: 0.01, Max: 0.02, Sum: 0.15, StdDev: 0.001 },
        Data: [{ Start: 0.01, End: 0.02, Count: 10 }],
      },
    });
    const stub = (output: string): Promise<void> =>
      writeFile(program, `#!/bin/sh\ncat /dev/stdin >&2\necho '${output}'\n`, { mode: 0o700 });
    Object.assign(world.get<Env>(Env as never), { FORTIO_BIN: program });
    try {
      const wish = { load_generators: ['fortio'], load_model: 'closed', request_body: 'hush-7' };
      const profile = await profileOf({ name: 'by fortio', ...wish });
      await stub(good);
      const run = await ended(await runOf(profile));
      expect(run).toMatchObject({ status: 'succeeded', load_generator: 'fortio', summary: { requests: 10 } });
      const { warnings } = await done(editor.get(`${RESULTS}/${run.id}`));
      expect(warnings).toHaveLength(2);
      await stub('{"ActualDuration":"long"');
      const failed = await ended(await runOf(profile));
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'LOAD_GENERATOR_FAILED' } });
      expect(JSON.stringify(failed)).not.toMatch(/hush|fortio-stub/);
    } finally {
      Object.assign(world.get<Env>(Env as never), { FORTIO_BIN: undefined });
      await rm(folder, { recursive: true });
    }
  }, 240_000);

  it('do not follow redirects', async () => {
    target.answer = (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    const run = await ended(await runOf(await profileOf({ name: 'redirected' })));
    target.answer = (response) => void response.end('hello');
    const result = await done(editor.get(`${RESULTS}/${run.id}`));
    expect(result.runner_results.RetCodes).toEqual({ '302': 50 });
    expect(result).toMatchObject({
      summary: { successful: 0 },
      warnings: expect.arrayContaining([expect.stringMatching(/no response was 2xx/)]),
    });
  }, 240_000);

  it('change their rate in stages, have fractions of it, a baseline, and figures of what a request waits for', async () => {
    const stages = [
      { qps: 40, duration: '1s' },
      { qps: 40, duration: '1s' },
    ];
    const profile = await profileOf({
      name: 'staged',
      qps: 0.5,
      stages,
      duration: undefined,
      method: 'HEAD',
      timeout: '5s',
      concurrent_request: undefined,
    });
    expect(profile).toMatchObject({
      ...{ qps: 0.5, stages, duration: '2s', load_model: 'open', concurrent_request: 0 },
      timeout: '5s',
      baseline_id: null,
    });
    expect(await done(editor.put(`${PROFILES}/${profile.id}`, profile))).toMatchObject({ stages, duration: '2s' });
    const first = await ended(await runOf(profile));
    // 20 of the ramp and 40 of the second second.
    expect(first).toMatchObject({
      status: 'succeeded',
      summary: { requests: 60, due_rps: 30, errors: 0 },
      plan: { rate: 0.5, timeout: 5 },
    });
    expect(target.received.at(-1)).toMatchObject({
      headers: { 'user-agent': 'Armature-Performance/1.0' },
    });
    const result = await done(editor.get(`${RESULTS}/${first.id}`));
    expect(result.latency_parts).toMatchObject({ service: { count: 60 }, first_byte: { count: 60 } });
    expect(result.timeline.at(-1).statuses).toEqual({ '200': expect.any(Number) });
    const histogram = await editor.get(`${RESULTS}/${first.id}/histogram`);
    expect(histogram.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(histogram.body).toMatch(
      /^ +Value +Percentile TotalCount 1\/\(1-Percentile\)\n\n.* 1\.000000000000 +60\n#\[Mean/s,
    );
    expect((await people.outsider.get(`${RESULTS}/${first.id}/histogram`)).status).toBe(404);
    const compare = '/api/performance/compare?b=';
    expect(await editor.get(`${compare}${first.id}`)).toMatchObject({ status: 409, body: { code: 'NO_BASELINE' } });
    const second = await ended(await runOf(profile));
    expect(await done(editor.get(`${compare}${second.id}`))).toMatchObject({
      ...{ a: { id: first.id }, b: { id: second.id }, plan_differences: [] },
    });
    const setSuccessful = `UPDATE performance_run SET summary = jsonb_set(summary, '{successful}', $2) WHERE id = $1`;
    await world.sql(setSuccessful, [first.id, '0']);
    expect(await editor.get(`${compare}${second.id}`)).toMatchObject({ status: 409, body: { code: 'NO_BASELINE' } });
    await world.sql(setSuccessful, [first.id, '60']);
    const purge = (kept: number): Promise<number> =>
      runInRequestContext({ requestId: 'test', actor: Actor.system('a test') }, () =>
        world.get(UnitOfWork).run(() => world.get(RunsStore).purge(profile.id, kept)),
      );
    await done(editor.put(`${PROFILES}/${profile.id}`, { baseline_id: first.id }));
    expect(await purge(1)).toBe(0);
    expect(await done(editor.get(`${compare}${second.id}`))).toMatchObject({ a: { id: first.id } });
    await done(editor.put(`${PROFILES}/${profile.id}`, await done(editor.get(`${PROFILES}/${profile.id}`))));
    await done(editor.put(`${PROFILES}/${profile.id}`, { baseline_id: second.id }));
    expect(await done(editor.get(`${compare}${first.id}`))).toMatchObject({
      a: { id: second.id },
      b: { id: first.id },
    });
    expect(await purge(1)).toBe(1);
    expect((await done(editor.get(`${RUNS}?profile_id=${profile.id}`))).runs).toMatchObject([{ id: second.id }]);
    const foreign = await editor.put(`${PROFILES}/${profile.id}`, { baseline_id: profile.id });
    expect(foreign).toMatchObject({ status: 400, body: { errors: [{ pointer: '/baseline_id' }] } });
  }, 240_000);

  it('name what makes their figures hard to read, alone and beside others', async () => {
    const open = await ended(await runOf(await profileOf({ name: 'open', qps: 20 })));
    const closed = await ended(
      await runOf(await profileOf({ name: 'closed', qps: 40, load_model: 'closed', concurrent_request: 2 })),
    );
    const { warnings } = await done(editor.get(`${RESULTS}/${closed.id}`));
    expect(warnings[0]).toMatch(/coordinated omission/);
    const comparison = await done(editor.get(`/api/performance/compare?a=${open.id}&b=${closed.id}`));
    expect(comparison.plan_differences.sort()).toEqual(['connections', 'model', 'rate']);
    expect(comparison.warnings.join('\n')).toMatch(
      /load models differ.*leaves out the throughput.*connections differ/s,
    );
  }, 240_000);

  it('need a generator that speaks the protocol', async () => {
    const generators = '/api/performance/generators';
    Object.assign(world.get<Env>(Env as never), { K6_BIN: undefined });
    expect(await done(people.viewer.get(generators))).toMatchObject({
      total_count: 3,
      generators: [
        { name: 'autocannon', available: true, protocols: ['http/1.1'], load_models: ['open', 'closed'] },
        { name: 'fortio', available: false, load_models: ['closed'], request_headers: false },
        { name: 'k6', available: false, protocols: ['http/1.1', 'http/2', 'grpc'], http2_needs_tls: true },
      ],
    });
    expect((await people.stranger.get(generators)).status).toBe(401);
    for (const protocol of ['http/2', 'grpc']) {
      const profile = await profileOf({ name: 'other', protocol });
      expect(await editor.post(`${PROFILES}/${profile.id}/run`)).toMatchObject({
        status: 400,
        body: {
          code: 'GENERATOR_UNAVAILABLE',
          errors: [{ pointer: '/protocol' }],
          remedy: expect.stringMatching(/K6_BIN.*FORTIO_BIN/),
        },
      });
    }
    Object.assign(world.get<Env>(Env as never), { K6_BIN: '/nowhere/k6' });
    const absent = await done(people.viewer.get(`${generators}?search=k6`));
    expect(absent).toMatchObject({ generators: [{ name: 'k6', available: false }] });
    Object.assign(world.get<Env>(Env as never), { K6_BIN: '/bin/false' });
    const known = await done(people.viewer.get(`${generators}?search=k6`));
    expect(known).toMatchObject({ generators: [{ name: 'k6', available: true }] });
    expect(JSON.stringify([absent, known])).not.toMatch(/nowhere|\/bin/);
    const beyond = await profileOf({ name: 'other', protocol: 'http/2' });
    expect(await editor.post(`${PROFILES}/${beyond.id}/run`)).toMatchObject({
      status: 400,
      body: { code: 'GENERATOR_UNAVAILABLE', remedy: expect.stringContaining('https address') },
    });
    const missing = await ended(await runOf(await profileOf({ load_generators: ['k6'] })));
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'LOAD_GENERATOR_FAILED' } });
    expect(JSON.stringify(missing)).not.toContain('/bin');
    Object.assign(world.get<Env>(Env as never), { K6_BIN: undefined });
  }, 240_000);

  it('are authorized again when they begin and while they go on', async () => {
    const profile = await profileOf({ name: 'authorized', duration: '60s' });
    const [first, second] = [await runOf(profile), await runOf(profile)];
    await until(async () => (await done(editor.get(`${RUNS}/${first.id}`))).progress !== null, 120_000);
    await done(world.admin.put(`${scene.path}/members/${editor.id}`, { role: 'viewer' }));
    const refused = [await ended(first), await ended(second)];
    await done(world.admin.put(`${scene.path}/members/${editor.id}`, { role: 'editor' }));
    for (const run of refused) expect(run).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN' } });
    await until(() => generators().length === 0);
    expect(refused[0]?.progress.seconds).toBeLessThan(60);
    expect(refused[1]).toMatchObject({ started_at: null, progress: null });
  }, 240_000);
});

requires('K6_BIN', 'runs by k6', (k6) => {
  beforeAll(() => void Object.assign(world.get<Env>(Env as never), { K6_BIN: k6 }));
  afterAll(() => void Object.assign(world.get<Env>(Env as never), { K6_BIN: undefined }));

  it('have results in the same form, and their headers are nowhere to be read', async () => {
    const profile = await profileOf({
      ...{ name: 'by k6', load_generators: ['k6'], duration: '2s', request_headers: { authorization: 'hush-6' } },
    });
    const queued = await runOf(profile);
    let processes = '';
    await until(() => (processes = processesOf()).includes(k6), 120_000);
    expect(processes).not.toContain('hush-6');
    const run = await ended(queued);
    expect(run).toMatchObject({ status: 'succeeded', load_generator: 'k6', progress: { of: 2 } });
    const result = await done(people.viewer.get(`${RESULTS}/${run.id}`));
    expect(result).toMatchObject({ errors: {}, runner_results: { 'load-generator': 'k6', RunType: 'HTTP' } });
    expect(result.summary.requests).toBeGreaterThanOrEqual(99);
    expect(result.timeline.length).toBeGreaterThanOrEqual(2);
    expect(target.received.at(-1)?.headers).toMatchObject({ authorization: 'hush-6' });
  }, 240_000);

  it('are cancelled, and leave no process behind', async () => {
    const run = await runOf(await profileOf({ name: 'by k6', load_generators: ['k6'], duration: '60s' }));
    await until(async () => (await done(editor.get(`${RUNS}/${run.id}`))).progress !== null, 120_000);
    expect(processesOf()).toContain(k6);
    expect(await done(editor.post(`${RUNS}/${run.id}/cancel`))).toMatchObject({ status: 'cancelled' });
    await until(() => !processesOf().includes(k6));
  }, 240_000);
});

const processesOf = (): string =>
  listProcesses()
    .map(({ command }) => command)
    .join('\n');
