import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { Actor } from '../src/core/access/actor.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { EventBus } from '../src/core/events/event-bus.js';
import type { Answer, Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { numbersOf, RegistryTestEvent, TestEvent } from './support/test-events.js';
import { World } from './support/world.js';

class AccountTestEvent extends TestEvent {
  override readonly category = 'user';
}

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const environment = async (person: Person, organization: string, fields = {}): Promise<Json> => {
  const { status, body } = await person.post('/api/environments', {
    name: `env ${randomUUID()}`,
    organization_id: organization,
    ...fields,
  });
  expect(status).toBe(201);
  return body;
};

const list = async (person: Person, query = ''): Promise<Json[]> => {
  const { status, body } = await person.get(`/api/events?pagesize=500${query}`);
  expect(status).toBe(200);
  return body.events;
};

const publish = (
  organizationId: string | null,
  EventClass = TestEvent,
  id: string = randomUUID(),
  workspaceId?: string,
) =>
  world
    .get(EventBus)
    .publish(new EventClass(Actor.system('test'), { id, organizationId, workspaceId }, { name: 'published' }));

const inOneUnit = (work: () => Promise<void>) => world.get(UnitOfWork).run(work);

const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

describe('an event', () => {
  it('is kept with the change that it is about, and listed', async () => {
    const { admin } = world;
    const made = await environment(admin, world.organization, { name: 'published' });
    const [event] = await list(admin, `&orgID=${world.organization}&acted_upon=${made.id}`);
    expect(event).toEqual({
      id: expect.any(String),
      sequence: expect.stringMatching(/^\d+$/),
      organization_id: world.organization,
      workspace_id: null,
      user_id: admin.id,
      acted_upon: made.id,
      operation_id: null,
      category: 'environment',
      action: 'created',
      severity: 'informational',
      description: 'Environment published was created',
      metadata: { name: 'published' },
      status: 'unread',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await admin.get(`/api/events/${event.id}`)).toMatchObject({ status: 200, body: event });
    expect(await admin.get(`/api/system/events?acted_upon=${made.id}`)).toMatchObject({
      status: 200,
      body: { page: 0, page_size: 20, total_count: 1, events: [event] },
    });
  });

  it('is neither kept nor numbered when its change is rolled back', async () => {
    const other = await world.outsider();
    const before = await numbersOf(world, other.organization);
    await inOneUnit(() => publish(other.organization));
    await expect(
      inOneUnit(async () => {
        await publish(other.organization);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await inOneUnit(() => publish(other.organization));
    expect(await numbersOf(world, other.organization)).toEqual(upTo(before.length + 2));
  });

  it('cannot be published outside of a unit of work', async () => {
    await expect(publish(world.organization)).rejects.toThrow('open unit of work');
  });

  it('is numbered without gaps while fifty write at once, and some of them fail', async () => {
    const other = await world.outsider();
    const before = (await numbersOf(world, other.organization)).length;
    const writers = upTo(50).map((n) =>
      n % 5 === 0
        ? inOneUnit(async () => {
            await publish(other.organization);
            throw new Error('no');
          }).catch(() => undefined)
        : environment(other, other.organization),
    );
    await Promise.all(writers);
    expect(await numbersOf(world, other.organization)).toEqual(upTo(before + 40));
    const times = await world.sql(
      `SELECT FROM event a JOIN event b ON b.organization_id = a.organization_id AND b.sequence = a.sequence + 1
        WHERE a.organization_id = $1 AND b.created_at < a.created_at`,
      [other.organization],
    );
    expect(times).toHaveLength(0);
  });

  it('costs one statement, however many there are in a unit of work', async () => {
    const other = await world.outsider();
    const asked: string[] = [];
    await inOneUnit(async () => {
      for (const organization of [world.organization, other.organization, null]) await publish(organization);
      await publish(other.organization);
      const client = (await world.get(UnitOfWork).manager.queryRunner?.connect()) as PoolClient;
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      const count = (...given: unknown[]): unknown => {
        asked.push(String(given[0]));
        if (given[0] === 'COMMIT') client.query = query as typeof client.query;
        return query(...given);
      };
      client.query = count as typeof client.query;
    });
    expect(asked.filter((sql) => !/^(COMMIT|SELECT set_config)/.test(sql))).toHaveLength(1);
    const numbers = await numbersOf(world, other.organization);
    expect(numbers).toEqual(upTo(numbers.length));
  });

  it('never locks two organizations in another order than others do', async () => {
    const [one, two] = [await world.outsider(), await world.outsider()];
    await Promise.all(
      upTo(40).map((n) =>
        inOneUnit(async () => {
          const both = [one.organization, two.organization];
          for (const organization of n % 2 ? both : both.reverse()) await publish(organization);
        }),
      ),
    );
    for (const { organization } of [one, two]) {
      const numbers = await numbersOf(world, organization);
      expect(numbers).toEqual(upTo(numbers.length));
    }
  });

  it('of the registry has no number and no part in those of organizations', async () => {
    const other = await world.outsider();
    const id = randomUUID();
    await inOneUnit(() => publish(null, RegistryTestEvent, id));
    for (const person of [world.admin, other]) {
      expect(await list(person, `&category=registry&acted_upon=${id}`)).toMatchObject([
        { sequence: null, organization_id: null, acted_upon: id },
      ]);
      expect(await list(person, `&acted_upon=${id}&since=0`)).toEqual([]);
    }
    expect(await list(other, `&orgID=${other.organization}&acted_upon=${id}`)).toEqual([]);
  });

  it('holds no secret', async () => {
    await world.person();
    const [{ text }] = (await world.sql<{ text: string }>(`SELECT string_agg(e::text, ' ') AS text FROM event e`)) as [
      { text: string },
    ];
    expect(text).toContain('was added to');
    expect(text).not.toContain(PASSWORD);
  });
});

describe('a list of events', () => {
  it('is narrowed by parameters and by filter alike', async () => {
    const other = await world.outsider();
    const one = await environment(other, other.organization);
    const two = await environment(other, other.organization);
    await other.delete(`/api/environments/${one.id}`);
    const of = async (query: string) => (await list(other, query)).map((event) => [event.acted_upon, event.action]);
    expect(await of('&category=environment')).toEqual([
      [one.id, 'deleted'],
      [two.id, 'created'],
      [one.id, 'created'],
    ]);
    expect(await of(`&filter={"category":"environment","action":"deleted"}`)).toEqual([[one.id, 'deleted']]);
    expect(await of('&category=environment,team&action=created&order=created_at asc')).toEqual([
      [one.id, 'created'],
      [two.id, 'created'],
    ]);
    expect(await of('&severity=error&severity=alert')).toEqual([]);
    expect((await of('&filter={"severity":["informational","error"]}')).length).toBeGreaterThan(3);
    expect(await of(`&search=${encodeURIComponent(two.name.toUpperCase())}`)).toEqual([[two.id, 'created']]);

    const all = await list(other, `&orgID=${other.organization}&order=sequence`);
    expect(all.map(({ sequence }) => Number(sequence))).toEqual(upTo(all.length));
    const last = await list(other, `&orgID=${other.organization}&since=${all.length - 2}`);
    expect(last.map(({ sequence }) => Number(sequence))).toEqual([all.length, all.length - 1]);
  });

  it('is walked by cursor', async () => {
    const other = await world.outsider();
    for (let n = 0; n < 5; n++) await environment(other, other.organization);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await other.get(`/api/events?orgID=${other.organization}&pagesize=2&cursor=${cursor}`);
      walked.push(...body.events.map(({ id }: Json) => id));
      cursor = body.next_cursor;
    }
    expect(walked).toEqual((await list(other, `&orgID=${other.organization}`)).map(({ id }) => id));
  });

  it.each([
    'severity=loud',
    'status=seen',
    'since=-1',
    'since=1.5',
    'acted_upon=me',
    'filter={"since":"x"}',
    'filter={"acted_upon":1}',
    'filter={"category":7}',
    'filter={"nothing":1}',
    'order=metadata',
    'pagesize=0',
  ])('refuses %s', async (query) => {
    expect(await world.admin.get(`/api/events?${query}`)).toMatchObject({ status: 400 });
  });

  it('leaves out the events up to a number, which are all when it is the last one or larger', async () => {
    const other = await world.outsider();
    const [newest] = await list(other, `&orgID=${other.organization}`);
    const last = Number(newest.sequence);
    for (const since of [last, last + 1_000])
      expect(await other.get(`/api/events?orgID=${other.organization}&since=${since}`)).toMatchObject({
        status: 200,
        body: { total_count: 0, events: [] },
      });
    // A stream that starts there would leave out what comes next.
    const streamed = await other.get(`/api/events/stream?orgID=${other.organization}&after=${last + 1}`);
    expect(streamed).toMatchObject({ status: 400, body: { errors: [{ pointer: 'after' }] } });
  });

  it('is the same in GraphQL, with fields in both spellings', async () => {
    const made = await environment(world.admin, world.organization);
    const { body } = await world.admin.graphql(
      `query ($filter: String) { events(filter: $filter) { page page_size total_count events {
         id sequence organization_id user_id acted_upon operation_id created_at
         userID actedUpon operationID createdAt updatedAt deletedAt
         severity category action description status metadata } } }`,
      { filter: JSON.stringify({ acted_upon: made.id }) },
    );
    expect(body.errors).toBeUndefined();
    const [event] = body.data.events.events;
    expect(body.data.events).toMatchObject({ page: 0, page_size: 20, total_count: 1 });
    expect(event).toMatchObject({
      acted_upon: made.id,
      actedUpon: made.id,
      user_id: world.admin.id,
      userID: world.admin.id,
      organization_id: world.organization,
      createdAt: event.created_at,
      updatedAt: event.created_at,
      deletedAt: null,
      severity: 'informational',
    });
    const one = await world.admin.graphql(`query ($id: ID!) { event(id: $id) { id } }`, { id: event.id });
    expect(one.body).toEqual({ data: { event: { id: event.id } } });
  });

  it('of kinds lists what there is', async () => {
    const { body } = await world.admin.get('/api/events/types');
    expect(body.types).toContainEqual({ kind: 'environment.created', category: 'environment', action: 'created' });
    expect(body.category).toContain('deployment');
    expect(body.action).toContain('failure');
    const walked: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Answer = await world.admin.get(`/api/events/types?pagesize=30&cursor=${cursor}`);
      expect(page.body.types.length).toBeLessThanOrEqual(30);
      walked.push(...page.body.types);
      cursor = page.body.next_cursor;
    }
    expect(walked).toEqual(body.types);
    expect(body).toMatchObject({ page: 0, total_count: walked.length });
    const second = await world.admin.get('/api/events/types?pagesize=2&page=1');
    expect(second.body).toMatchObject({ page: 1, page_size: 2, types: body.types.slice(2, 4) });
    expect((await world.admin.get('/api/events/types?pagesize=0')).status).toBe(400);
  });
});

describe('events are read', () => {
  const grant = async (person: Person, role: number): Promise<{ workspace: string; environment: Json }> => {
    const workspace = randomUUID();
    await world.sql(`INSERT INTO workspace (id, organization_id, name, owner) VALUES ($1, $2, 'granted', $3)`, [
      workspace,
      world.organization,
      world.admin.id,
    ]);
    await world.sql(`INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, $3)`, [
      workspace,
      person.id,
      role,
    ]);
    const made = await environment(world.admin, world.organization);
    await world.sql(
      `INSERT INTO workspace_environment (id, organization_id, workspace_id, environment_id) VALUES ($1, $2, $3, $4)`,
      [randomUUID(), world.organization, workspace, made.id],
    );
    return { workspace, environment: made };
  };

  it('by who has a role on what they are about, and by nobody else', async () => {
    const [viewer, member, outsider] = [await world.person(), await world.person(), await world.outsider()];
    const granted = await grant(viewer, 2);
    const hidden = await environment(world.admin, world.organization);
    const inside = randomUUID();
    await inOneUnit(() => publish(world.organization, TestEvent, inside, granted.workspace));

    const seenBy = async (person: Person) => new Set((await list(person)).map(({ acted_upon }) => acted_upon));
    const [byAdmin, byViewer, byMember, byOutsider] = [
      await seenBy(world.admin),
      await seenBy(viewer),
      await seenBy(member),
      await seenBy(outsider),
    ];
    for (const id of [granted.environment.id, hidden.id, inside]) {
      expect(byAdmin).toContain(id);
      expect(byMember).not.toContain(id);
      expect(byOutsider).not.toContain(id);
    }
    expect([...byViewer]).toEqual(expect.arrayContaining([granted.environment.id, inside]));
    expect(byViewer).not.toContain(hidden.id);
    expect(byMember).toContain(viewer.id);
    expect(byOutsider).not.toContain(viewer.id);

    const activity = `/api/workspaces/${granted.workspace}/activity`;
    const byRole = await viewer.get(activity);
    expect(byRole).toMatchObject({ status: 200, body: { total_count: 1, events: [{ acted_upon: inside }] } });
    expect((await member.get(activity)).status).toBe(404);

    const event = (await list(world.admin, `&acted_upon=${hidden.id}`))[0];
    for (const person of [viewer, member, outsider]) {
      expect((await person.get(`/api/events/${event.id}`)).status).toBe(404);
      expect((await person.put(`/api/events/${event.id}/status`, { status: 'read' })).status).toBe(404);
    }
    expect((await outsider.get(`/api/events?orgID=${world.organization}`)).status).toBe(404);
    expect((await world.stranger.get('/api/events')).status).toBe(401);
  });

  it('by nobody but its holder and its doer when it is about an account', async () => {
    const [holder, other] = [await world.person(), await world.person('admin')];
    await inOneUnit(() => publish(null, AccountTestEvent, holder.id));
    expect(await list(holder, `&category=user&acted_upon=${holder.id}&search=a test`)).toHaveLength(1);
    expect(await list(other, `&category=user&acted_upon=${holder.id}&search=a test`)).toEqual([]);
  });

  it('no more by who has left', async () => {
    const person = await world.person('admin');
    const made = await environment(person, world.organization);
    expect(await list(person, `&acted_upon=${made.id}`)).toHaveLength(1);
    const id = (await list(person, `&acted_upon=${made.id}`))[0].id;
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${person.id}`);
    expect((await person.get(`/api/events/${id}`)).status).toBe(404);
  });

  it('and marked by each for themselves', async () => {
    const other = await world.person('admin');
    const made = await environment(world.admin, world.organization);
    const [event] = await list(world.admin, `&acted_upon=${made.id}`);
    const marked = await world.admin.put(`/api/events/${event.id}/status`, { status: 'read' });
    expect(marked).toMatchObject({ status: 200, body: { id: event.id, status: 'read' } });
    expect(await list(world.admin, `&acted_upon=${made.id}&status=unread`)).toEqual([]);
    expect(await list(world.admin, `&acted_upon=${made.id}&status=read`)).toHaveLength(1);
    expect(await list(other, `&acted_upon=${made.id}`)).toMatchObject([{ status: 'unread' }]);
    expect((await world.admin.put(`/api/events/${event.id}/status`, { status: 'seen' })).status).toBe(400);

    const path = `/api/events/${event.id}`;
    const seen = (await world.admin.get(path)).headers.get('etag') ?? '';
    const change = (status: string) => world.admin.put(`${path}/status`, { status }, { headers: { 'if-match': seen } });
    const changed = await change('unread');
    expect([changed.status, (await change('read')).body.code]).toEqual([200, 'PRECONDITION_FAILED']);
    expect(changed.headers.get('etag')).toBe((await world.admin.get(path)).headers.get('etag'));
    expect((await world.admin.get(path)).body.status).toBe('unread');
    await world.admin.put(`${path}/status`, { status: 'read' });

    const outsider = await world.outsider();
    const foreign = (await list(outsider, `&orgID=${outsider.organization}`))[0];
    const ids = [event.id, foreign.id, randomUUID()];
    expect(await other.put('/api/events/status', { status: 'read', ids })).toMatchObject({
      status: 200,
      body: { status: 'read', ids: [event.id] },
    });
    expect(await list(other, `&acted_upon=${made.id}`)).toMatchObject([{ status: 'read' }]);
    expect(await list(outsider, `&orgID=${outsider.organization}&status=read`)).toEqual([]);
    await other.put('/api/system/events/status', { status: 'unread', ids });
    expect(await list(other, `&acted_upon=${made.id}`)).toMatchObject([{ status: 'unread' }]);
    expect((await other.put('/api/events/status', { status: 'read', ids: ['x'] })).status).toBe(400);
  });
});
