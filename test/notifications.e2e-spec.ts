import type { Json, Person } from './support/person.js';
import { until } from './support/until.js';
import { done, peopleOf, type People, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
});
afterAll(() => world.stop());

const SETTINGS = '/api/identity/users/notifications';
const INBOX = '/api/notifications';
const inbox = async (person: Person, query = ''): Promise<Json> => done(person.get(`${INBOX}?${query}`));
const kindsOf = ({ notifications }: Json): string[] => notifications.map((n: Json) => `${n.category}.${n.action}`);
const readAll = (person: Person) => done(person.put(INBOX, { all: true }));

describe('the settings of notifications', () => {
  it('have defaults, are merged, and may be sent back as they were read', async () => {
    const { viewer } = people;
    const before = await viewer.get(SETTINGS);
    expect(before.body).toMatchObject({
      categories: {
        deployment: { in_app: true, email: 'off' },
        registry: { in_app: false, email: 'off' },
        webhook: { in_app: true, email: 'realtime' },
      },
      timezone: 'UTC',
      digest_at: '08:00',
      muted_workspaces: [],
      email_enabled: false,
      email_blocked: null,
    });
    const change = { categories: { deployment: { email: 'daily' } }, timezone: 'Europe/Berlin' };
    const tag = { headers: { 'if-match': before.headers.get('etag') ?? '' } };
    const changed = await viewer.put(SETTINGS, change, tag);
    expect(changed.body).toEqual({
      ...before.body,
      timezone: 'Europe/Berlin',
      categories: { ...before.body.categories, deployment: { in_app: true, email: 'daily' } },
    });
    expect((await viewer.put(SETTINGS, change, tag)).status).toBe(412);
    const read = await viewer.get(SETTINGS);
    expect(read.body).toEqual(changed.body);
    const echoed = await viewer.put(SETTINGS, read.body, { headers: { 'if-match': read.headers.get('etag') ?? '' } });
    expect(echoed).toMatchObject({ status: 200, body: read.body });
    for (const timezone of ['EST5EDT', 'Asia/Kathmandu', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires'])
      expect((await done(viewer.put(SETTINGS, { timezone }))).timezone).toBe(timezone);
    const reset = { categories: { deployment: null }, timezone: null, digest_at: null, muted_workspaces: null };
    expect((await done(viewer.put(SETTINGS, reset))).categories).toEqual(before.body.categories);
    expect((await people.editor.get(SETTINGS)).body).toEqual(before.body);
  });

  it.each([
    [{ categories: { nothing: { in_app: true } } }, '/categories/nothing'],
    [{ categories: { design: { email: 'weekly' } } }, '/categories/design/email'],
    [{ categories: { design: { in_app: 'yes' } } }, '/categories/design/in_app'],
    [{ categories: { design: { sms: true } } }, '/categories/design/sms'],
    [{ categories: { design: ['off'] } }, '/categories/design'],
    [{ categories: JSON.parse('{"__proto__": {"email": "daily"}}') }, '/categories/__proto__'],
    [{ categories: null }, '/categories'],
    [{ timezone: 'Mars/Olympus' }, '/timezone'],
    [{ timezone: '../../etc' }, '/timezone'],
    [{ digest_at: '24:00' }, '/digest_at'],
    [{ digest_at: 8 }, '/digest_at'],
    [{ muted_workspaces: ['all'] }, '/muted_workspaces'],
    [{ muted_workspaces: Array(501).fill('01890a5d-ac96-774b-bcce-b302099a8057') }, '/muted_workspaces'],
    [{ email_enabled: true }, '/email_enabled'],
    [{ email_blocked: 'unconfirmed' }, '/email_blocked'],
    [{ colour: 'red' }, '/colour'],
  ])('refuse what is wrong, case %#', async (change, pointer) => {
    const { status, body } = await people.viewer.put(SETTINGS, change);
    expect({ status, pointers: body.errors?.map((e: Json) => e.pointer) }).toEqual({
      status: 400,
      pointers: [pointer],
    });
  });

  it('name at most a hundred faults', async () => {
    const categories = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`c${n}`, {}]));
    const { status, body } = await people.viewer.put(SETTINGS, { categories });
    expect(status).toBe(400);
    expect(body.errors.length).toBeLessThanOrEqual(101);
  });
});

describe('notifications in the application', () => {
  it('report what others did, newest first, until it is read', async () => {
    const { viewer, editor } = people;
    for (const person of [viewer, editor]) await readAll(person);
    const design = await scene.design(editor, 'reported');
    const page = await inbox(viewer);
    expect(page).toMatchObject({ page: 0, page_size: 20, unread_count: 1 });
    expect(page.notifications[0]).toMatchObject({
      category: 'design',
      action: 'created',
      acted_upon: design.id,
      user_id: editor.id,
      status: 'unread',
    });
    const own = await inbox(editor);
    expect(own.notifications.map((n: Json) => n.acted_upon)).not.toContain(design.id);
    expect(own.unread_count).toBe(0);

    const path = `${INBOX}/${page.notifications[0].id}`;
    const one = await viewer.get(path);
    expect(one.body).toEqual(page.notifications[0]);
    const tag = { headers: { 'if-match': one.headers.get('etag') ?? '' } };
    const marked = await viewer.put(path, { ...one.body, status: 'read' }, tag);
    expect(marked).toMatchObject({ status: 200, body: { status: 'read' } });
    expect((await viewer.put(path, { status: 'unread' }, tag)).status).toBe(412);
    expect((await viewer.put(path, { status: 'read', description: 'another' })).body.code).toBe('READ_ONLY_FIELD');
    expect(await inbox(viewer, 'unread=true')).toMatchObject({ total_count: 0, unread_count: 0, notifications: [] });
    await done(viewer.put(path, { status: 'unread' }));
    expect((await inbox(viewer, 'unread=true')).total_count).toBe(1);
    // Another person's mark is another's.
    expect((await inbox(people.admin)).notifications[0]).toMatchObject({ acted_upon: design.id, status: 'unread' });
  });

  it('are marked several at once, or all', async () => {
    const { viewer, editor } = people;
    await readAll(viewer);
    for (const name of ['one', 'two', 'three']) await scene.design(editor, name);
    const ids = (await inbox(viewer, 'unread=true')).notifications.map((n: Json) => n.id);
    expect(ids).toHaveLength(3);
    const foreign = '01890a5d-ac96-774b-bcce-b302099a8057';
    expect(await done(viewer.put(INBOX, { ids: [ids[0], foreign] }))).toEqual({
      ...{ status: 'read', ids: [ids[0]], unread_count: 2 },
    });
    expect(await done(viewer.put(INBOX, { ids: [ids[0]], status: 'unread' }))).toMatchObject({ unread_count: 3 });
    expect(await readAll(viewer)).toEqual({ status: 'read', unread_count: 0 });
    expect((await inbox(viewer)).notifications.every((n: Json) => n.status === 'read')).toBe(true);
    await scene.design(editor, 'four');
    expect((await inbox(viewer)).unread_count).toBe(1);
    for (const body of [{}, { ids, all: true }, { all: false }, { all: true, status: 'unread' }, { ids: ['x'] }])
      expect((await viewer.put(INBOX, body)).status).toBe(400);
  });

  it('leave out how far deployments have come', async () => {
    const { viewer, editor } = people;
    const { id } = await scene.design(editor, 'in progress');
    const before = await inbox(viewer);
    expect(before.notifications[0].acted_upon).toBe(id);
    await world.sql(`UPDATE event SET category = 'deployment', action = 'progress' WHERE acted_upon = $1`, [id]);
    expect((await inbox(viewer)).total_count).toBe(before.total_count - 1);
  });

  it('are paged by number and by cursor', async () => {
    const { viewer } = people;
    const whole = await inbox(viewer, 'pagesize=500');
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Json = await inbox(viewer, `pagesize=2&cursor=${encodeURIComponent(cursor)}`);
      found.push(...page.notifications.map((n: Json) => n.id));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(whole.notifications.map((n: Json) => n.id));
    expect((await inbox(viewer, 'page=1&pagesize=2')).notifications).toEqual(whole.notifications.slice(2, 4));
    expect((await viewer.get(`${INBOX}?unread=perhaps`)).status).toBe(400);
  });

  it('follow the categories and workspaces that the user chose', async () => {
    const { viewer, editor } = people;
    await readAll(viewer);
    await done(viewer.put(SETTINGS, { categories: { design: { in_app: false } } }));
    await scene.design(editor, 'not wanted');
    expect((await inbox(viewer)).unread_count).toBe(0);
    await done(viewer.put(SETTINGS, { categories: { design: null }, muted_workspaces: [scene.id] }));
    expect((await inbox(viewer)).notifications.some((n: Json) => n.workspace_id === scene.id)).toBe(false);
    await scene.design(editor, 'muted');
    await done(viewer.put(SETTINGS, { muted_workspaces: [] }));
    // What happened while it was switched off never becomes a notification, what happens now does.
    expect((await inbox(viewer)).unread_count).toBe(0);
    await scene.design(editor, 'wanted');
    const { unread_count, notifications } = await inbox(viewer);
    expect([unread_count, notifications[0].metadata.name]).toEqual([1, 'wanted']);
    for (const name of ['not wanted', 'muted']) expect(JSON.stringify(notifications)).not.toContain(`"${name}"`);
    await done(viewer.put(SETTINGS, { categories: { registry: { in_app: true } } }));
    expect((await inbox(viewer)).notifications.some((n: Json) => n.category === 'registry')).toBe(false);
  });

  it('say nothing of what the reader may not see any more, nor of what was before they came', async () => {
    const { editor, admin } = people;
    const guest = await world.person();
    expect(kindsOf(await inbox(guest)).sort()).toEqual(['member.added', 'user.created']);
    await done(admin.put(`${scene.path}/members/${guest.id}`, { role: 'viewer' }));
    expect(kindsOf(await inbox(guest)).sort()).toEqual(['member.added', 'member.added', 'user.created']);
    const secret = await scene.design(editor, 'for members only');
    const [{ id }] = (await inbox(guest)).notifications;
    await done(admin.delete(`${scene.path}/members/${guest.id}`));
    expect(JSON.stringify(await inbox(guest))).not.toContain(secret.id);
    for (const answer of [await guest.get(`${INBOX}/${id}`), await guest.put(`${INBOX}/${id}`, { status: 'read' })])
      expect(answer.status).toBe(404);
    expect((await done(guest.put(INBOX, { ids: [id] }))).ids).toEqual([]);
    expect((await inbox(people.outsider)).notifications.some((n: Json) => n.workspace_id === scene.id)).toBe(false);
    const foreign = await people.outsider.get(`${INBOX}?orgID=${world.organization}`);
    expect(foreign.status).toBe(404);
  });

  it('are answered by GraphQL as by REST, and pushed with the number of unread ones', async () => {
    const { viewer, editor, admin } = people;
    await readAll(viewer);
    const messages: Json[] = [];
    const socket = viewer.socket();
    const query =
      'subscription { subscribeNotifications { unread_count notification { id category acted_upon status } } }';
    socket.subscribe(
      { query },
      {
        next: ({ data }) => void messages.push((data as Json).subscribeNotifications),
        error: () => undefined,
        complete: () => undefined,
      },
    );
    await until(() => messages.length === 1);
    expect(messages[0]).toEqual({ unread_count: 0, notification: null });
    const design = await scene.design(editor, 'pushed');
    await until(() => messages.length === 2);
    expect(messages[1]).toMatchObject({ unread_count: 1, notification: { acted_upon: design.id, status: 'unread' } });
    await done(viewer.put('/api/identity/users/profile', { first_name: 'own act' }));
    const { id } = messages[1].notification;
    await done(viewer.put(`${INBOX}/${id}`, { status: 'read' }));
    await until(() => messages.length === 3);
    expect(messages[2]).toEqual({ unread_count: 0, notification: null });
    const { data } = (
      await viewer.graphql(
        `{ notifications(pagesize: 1) { unread_count notifications { id } } notification(id: "${id}") { status } }`,
      )
    ).body;
    expect(data).toEqual({
      notifications: { unread_count: 0, notifications: [{ id }] },
      notification: { status: 'read' },
    });
    await done(admin.put(`${scene.path}/members/${viewer.id}`, { role: 'editor' }));
    await done(admin.delete(`${scene.path}/members/${viewer.id}`));
    await scene.design(editor, 'unseen');
    await done(admin.put(`${scene.path}/members/${viewer.id}`, { role: 'viewer' }));
    const seen = await scene.design(editor, 'seen again');
    await until(() => messages.some((m) => m.notification?.acted_upon === seen.id));
    expect(messages.filter((m) => m.notification?.category === 'design')).toHaveLength(2);
    await socket.dispose();
  });

  it('begin with the grant of a role to a team, with its member, and with the workspace of an environment', async () => {
    const { editor, admin, organizationAdmin } = people;
    const environment = await scene.environment();
    await scene.design(editor, 'before the team came');
    const teams = `/api/identity/orgs/${world.organization}/teams`;
    const { id: team } = await done(organizationAdmin.post(teams, { name: 'newcomers' }));
    const [early, late] = [await world.person(), await world.person()];
    await done(organizationAdmin.post(`${teams}/${team}/users/${early.id}`));
    const seenBy = async (person: Person) =>
      (await inbox(person, `pagesize=500&orgID=${world.organization}`)).notifications
        .filter((n: Json) => n.workspace_id === scene.id || n.acted_upon === environment.id)
        .map(({ description }: Json) => description as string);
    await done(admin.put(`${scene.path}/teams/${team}`, { role: 'viewer' }));
    const begin = ['Team newcomers was added to workspace ' + scene.workspace.name];
    expect(await seenBy(early)).toEqual(begin);
    await scene.design(editor, 'between the two');
    await done(organizationAdmin.post(`${teams}/${team}/users/${late.id}`));
    expect(await seenBy(late)).toEqual([]);
    await done(organizationAdmin.put(`/api/environments/${environment.id}`, { description: 'changed' }));
    await scene.design(editor, 'for both');
    const since = ['Design for both was created', `Environment ${environment.name} was changed`];
    expect(await seenBy(late)).toEqual(since);
    // Another grant does not take away what was there before it.
    await done(admin.put(`${scene.path}/members/${early.id}`, { role: 'viewer' }));
    expect(await seenBy(early)).toEqual([
      `${early.email} was added to workspace ${scene.workspace.name}`,
      ...since,
      'Design between the two was created',
      ...begin,
    ]);
  });

  it('are counted again for a subscriber whose roles change, and for nobody else', async () => {
    const { editor, admin, organizationAdmin } = people;
    const [reader, bystander] = [await world.person(), await world.person()];
    for (const { id } of [reader, bystander]) await done(admin.put(`${scene.path}/members/${id}`, { role: 'viewer' }));
    for (const person of [reader, bystander]) await readAll(person);
    const counts = new Map<Person, number[]>([
      [reader, []],
      [bystander, []],
    ]);
    const sockets = [...counts].map(([person, seen]) => {
      const socket = person.socket();
      socket.subscribe(
        { query: 'subscription { subscribeNotifications { unread_count } }' },
        {
          next: ({ data }) => void seen.push((data as Json).subscribeNotifications.unread_count),
          error: () => undefined,
          complete: () => undefined,
        },
      );
      return socket;
    });
    const agrees = async (person: Person): Promise<void> => {
      await until(async () => counts.get(person)?.at(-1) === (await inbox(person)).unread_count);
    };
    await agrees(reader);
    for (const name of ['one', 'two', 'three']) await scene.design(editor, name);
    await until(() => counts.get(reader)?.at(-1) === 3);
    await done(admin.delete(`${scene.path}/members/${reader.id}`));
    await agrees(reader);
    expect(counts.get(reader)?.at(-1)).toBeLessThan(3);

    const teams = `/api/identity/orgs/${world.organization}/teams`;
    const { id: team } = await done(organizationAdmin.post(teams, { name: 'counted' }));
    await done(organizationAdmin.post(`${teams}/${team}/users/${reader.id}`));
    await done(admin.put(`${scene.path}/teams/${team}`, { role: 'viewer' }));
    await scene.design(editor, 'four');
    await agrees(reader);
    await done(organizationAdmin.delete(`${teams}/${team}`));
    await agrees(reader);
    await agrees(bystander);
    await done(admin.post(`${scene.path}/archive`));
    await Promise.all([reader, bystander].map(agrees));
    await done(admin.post(`${scene.path}/restore`));
    await Promise.all([reader, bystander].map(agrees));
    for (const socket of sockets) await socket.dispose();
  });
});
