import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Armature, ArmatureError, toFile } from '@armature/client';
import WebSocket from 'ws';
import { TABLE } from '../clients/typescript/src/generated/table.js';
import type { Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { publishEvents } from './support/test-events.js';
import { testRunFolder } from './support/test-run.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

/** What stands between client and server, and breaks. */
class Line {
  readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async to(baseUrl: string): Promise<Line> {
    const { hostname, port } = new URL(baseUrl);
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) line.sockets.add(socket.on('error', () => undefined));
      near.pipe(far).pipe(near);
    });
    const line = new Line(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return line;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

let world: World;
let person: Person;
let line: Line;
let armature: Armature;
beforeAll(async () => {
  world = await World.start();
  person = await world.person('admin');
  line = await Line.to(world.baseUrl);
  armature = new Armature({ baseUrl: world.baseUrl, token: person.token ?? '', webSocket: WebSocket });
});
afterAll(async () => {
  line.close();
  await world.stop();
});

const lastSequence = async (): Promise<number> => {
  const { events } = await armature.listEvents({ query: { orgID: organization_id(), pagesize: 1 } });
  return Number(events[0]?.sequence ?? 0);
};
const organization_id = (): string => world.organization;
const failure = async (call: Promise<unknown>): Promise<ArmatureError> => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ArmatureError);
  return error as ArmatureError;
};

describe('Calls', () => {
  it('have a method for each operation of the served document', async () => {
    const { paths } = await armature
      .request<{ paths: Record<string, Record<string, { operationId: string }>> }>('GET', '/api/openapi.json')
      .then(({ data }) => data);
    // PATCH does what PUT does.
    const ids = Object.values(paths).flatMap(({ patch: _, ...methods }) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(Object.keys(TABLE).sort()).toEqual(ids.sort());
    expect(ids.filter((id) => typeof armature[id as keyof typeof TABLE] !== 'function')).toEqual([]);
  });

  it('return the data, and throw the problem', async () => {
    const environment = await armature.createEnvironment({
      body: { name: 'typed', organization_id: organization_id() },
    });
    expect(environment).toMatchObject({ name: 'typed', organization_id: organization_id() });
    expect(await armature.getEnvironment({ path: { id: environment.id } })).toMatchObject({ id: environment.id });
    const error = await failure(armature.getEnvironment({ path: { id: 'no-id' } }));
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(error.remedy).not.toBe('');
    expect(error.requestId).toBe(error.headers.get('x-request-id'));
    expect(error.problem?.type).toMatch(/^http/);
  });

  it('do a write once, when its response was lost', async () => {
    let calls = 0;
    const losing: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      calls += 1;
      if (calls > 1) return response;
      await response.arrayBuffer();
      throw new TypeError('fetch failed');
    };
    const name = 'once';
    const once = new Armature({ baseUrl: world.baseUrl, token: person.token ?? '', fetch: losing });
    await once.createEnvironment({ body: { name, organization_id: organization_id() } });
    const { total_count } = await armature.listEnvironments({ query: { search: name } });
    expect([calls, total_count]).toEqual([2, 1]);
  });

  it('answer 304 without data to a revision that is known', async () => {
    const first = await armature.request('GET', '/api/environments', { query: { search: 'typed' } });
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect(await armature.request('GET', '/api/environments', { query: { search: 'typed' }, headers })).toMatchObject({
      status: 304,
      data: undefined,
    });
  });
});

describe('Signing in', () => {
  /** A session whose calls to sign in and renew are noted, and whose next tokens may be spoilt on their way. */
  const noted = async () => {
    const paths: string[] = [];
    let spoilt = 0;
    let refresh_token = '';
    const noting = async (url: string, init?: RequestInit): Promise<Response> => {
      const { pathname } = new URL(url);
      if (!pathname.startsWith('/api/auth/')) {
        if (spoilt-- > 0) (init?.headers as Record<string, string>).authorization = 'Bearer spoilt';
        return fetch(url, init);
      }
      paths.push(pathname.slice('/api/auth/'.length));
      const response = await fetch(url, init);
      if (pathname.endsWith('/login'))
        ({ refresh_token } = (await response.clone().json()) as { refresh_token: string });
      return response;
    };
    const { email } = await world.person('member');
    const session = await Armature.signIn({
      baseUrl: world.baseUrl,
      email,
      password: PASSWORD,
      fetch: noting as typeof fetch,
    });
    return { session, paths, spoil: (count: number) => (spoilt = count), refresh_token };
  };

  it('renews a token that is refused, once for all calls, and repeats them', async () => {
    const { session, paths, spoil } = await noted();
    spoil(3);
    const profiles = await Promise.all([session.getProfile(), session.getProfile(), session.getProfile()]);
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(1);
    expect(paths).toEqual(['login', 'refresh']);
    spoil(2);
    expect(await failure(session.getProfile())).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(paths).toEqual(['login', 'refresh', 'refresh']);
  });

  it('signs in anew when the session has ended', async () => {
    const { session, paths, refresh_token } = await noted();
    await session.signOut({ body: { refresh_token } });
    expect(await session.graphql('{ __typename organizations { total_count } }')).toMatchObject({
      __typename: 'Query',
    });
    expect(paths).toEqual(['login', 'logout', 'refresh', 'login']);
  });

  it('fails with the problem of a wrong password', async () => {
    const { email } = person;
    expect(
      await failure(Armature.signIn({ baseUrl: world.baseUrl, email, password: 'wrong wrong wrong' })),
    ).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });
});

describe('Lists', () => {
  it('are walked by cursor, each record once', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `walk-${index}`);
    for (const name of names) await armature.createEnvironment({ body: { name, organization_id: organization_id() } });
    const walked: string[] = [];
    for await (const { name } of armature.paginate('listEnvironments', { query: { search: 'walk-', pagesize: 3 } }))
      walked.push(name);
    expect(walked.sort()).toEqual(names);
  });

  it('stop to be read when the loop is left', async () => {
    let reads = 0;
    const counting = new Armature({
      baseUrl: world.baseUrl,
      token: person.token ?? '',
      fetch: (...call) => ((reads += 1), fetch(...call)),
    });
    for await (const { name } of counting.paginate('listEnvironments', { query: { search: 'walk-', pagesize: 2 } }))
      if (name) break;
    expect(reads).toBe(1);
  });
});

describe('Files', () => {
  const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';

  it('are uploaded from a path, a stream, bytes and a blob, and come back as they are', async () => {
    const workspace = await armature.createWorkspace({ body: { name: 'files', organization_id: organization_id() } });
    const path = join(testRunFolder(), 'settings.yaml');
    await writeFile(path, MANIFEST);
    const sources = [
      await toFile(path),
      await toFile(Readable.from([Buffer.from(MANIFEST)]), 'settings.yaml'),
      await toFile(Buffer.from(MANIFEST), 'settings.yaml'),
      await toFile(new Blob([MANIFEST]), 'settings.yaml'),
    ];
    for (const file of sources) {
      expect(file.name).toBe('settings.yaml');
      const design = await armature.importDesign({ body: { file, name: 'from a file', workspace_id: workspace.id } });
      expect(design).toMatchObject({ name: 'from a file' });
      if (!('id' in design) || !design.id) throw new Error('it was not imported');
      const download = await armature.downloadDesign({ path: { id: design.id }, query: { export: 'source' } });
      expect(await download.text()).toBe(MANIFEST);
      expect(await armature.renderDesignDiagram({ path: { id: design.id } })).toContain('<svg');
    }
  });

  it('of the audit are read as they come', async () => {
    const stream = await armature.exportAudit({ path: { orgId: organization_id() } });
    const lines = (await new Response(stream).text()).trim().split('\n');
    expect(lines.filter((line) => 'action' in (JSON.parse(line) as object)).length).toBeGreaterThan(10);
  });
});

describe('Events', () => {
  it('come each once and in order, through breaks', async () => {
    const through = new Armature({ baseUrl: line.baseUrl, token: person.token ?? '' });
    const after = await lastSequence();
    const seen: number[] = [];
    const abort = new AbortController();
    const ended = (async () => {
      for await (const { sequence } of through.events({
        after,
        signal: abort.signal,
        query: { orgID: organization_id() },
      }))
        seen.push(Number(sequence));
    })().catch((error: unknown) => error);
    await publishEvents(world, organization_id(), 2);
    for (let round = 0; round < 3; round += 1) {
      await until(() => seen.length >= 2 + round * 2);
      line.cut();
      await publishEvents(world, organization_id(), 2);
    }
    await until(() => seen.length >= 8);
    abort.abort();
    expect(await ended).toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((step) => after + step));
  });

  it('begin after the number that is given', async () => {
    const after = (await lastSequence()) - 2;
    for await (const { sequence } of armature.events({ after, query: { orgID: organization_id() } })) {
      expect(Number(sequence)).toBe(after + 1);
      break;
    }
  });

  it('end with 401, 403 or another refusal', async () => {
    const stranger = new Armature({ baseUrl: world.baseUrl, token: 'not-a-token' });
    expect(await failure(stranger.events().next())).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await failure(armature.events({ query: { category: 'none' } }).next())).toMatchObject({ status: 400 });
  });
});

describe('GraphQL', () => {
  it('returns the data, and throws the first error with its code', async () => {
    const document = 'query ($search: String) { environments(search: $search) { total_count } }';
    expect(await armature.graphql(document, { search: 'typed' })).toEqual({ environments: { total_count: 1 } });
    expect(await failure(armature.graphql('{ nothing }'))).toMatchObject({
      status: 400,
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
    const error = await failure(new Armature({ baseUrl: world.baseUrl, token: 'not-a-token' }).graphql(document));
    expect(error).toMatchObject({ status: 200, code: 'UNAUTHENTICATED' });
    expect(error.remedy).not.toBe('');
  });

  it('subscribes over a socket, through breaks', async () => {
    const through = new Armature({ baseUrl: line.baseUrl, token: person.token ?? '', webSocket: WebSocket });
    const document =
      'subscription ($after: String, $organizationID: ID) { subscribeEvents(after: $after, organizationID: $organizationID) { sequence } }';
    const after = await lastSequence();
    const seen: number[] = [];
    const abort = new AbortController();
    const ended = (async () => {
      const results = through.subscribe<{ subscribeEvents: { sequence: string } }>(
        document,
        { after: String(after), organizationID: organization_id() },
        { signal: abort.signal },
      );
      for await (const { subscribeEvents } of results) seen.push(Number(subscribeEvents.sequence));
    })().catch((error: unknown) => error);
    await publishEvents(world, organization_id(), 2);
    await until(() => seen.length >= 2);
    line.cut();
    await publishEvents(world, organization_id(), 2);
    await until(() => seen.length >= 4);
    abort.abort();
    expect(await ended).toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([1, 2, 3, 4].map((step) => after + step));
  });

  it('ends a subscription that is refused', async () => {
    const stranger = new Armature({ baseUrl: world.baseUrl, token: 'not-a-token', webSocket: WebSocket });
    expect(await failure(stranger.subscribe('subscription { subscribeEvents { id } }').next())).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    });
    expect(await failure(armature.subscribe('subscription { nothing }').next())).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
  });
});

describe('Waiting', () => {
  it('returns an operation at its end, and throws the problem of one that failed', async () => {
    const workspace = await armature.createWorkspace({ body: { name: 'waiting', organization_id: organization_id() } });
    const begin = (content: string) =>
      armature.request<{ id: string }>('POST', '/api/pattern/import', {
        query: { async: true },
        body: { file: new File([content], 'a.yaml'), workspace_id: workspace.id },
      });
    const good = await begin('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    expect(good.status).toBe(202);
    const statuses: string[] = [];
    const operation = await armature.waitFor(
      { operation: good.data.id },
      { onProgress: ({ status }) => statuses.push(status) },
    );
    expect(operation).toMatchObject({ id: good.data.id, status: 'succeeded' });
    expect(statuses.at(-1)).toBe('succeeded');
    const bad = await begin('{"a": [');
    expect((await failure(armature.waitFor({ operation: bad.data.id }))).errors.length).toBeGreaterThan(0);
  });
});
