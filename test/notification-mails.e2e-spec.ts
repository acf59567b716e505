import { Actor } from '../src/core/access/actor.js';
import { MailRequestsService } from '../src/events/notifications/mail/mail-requests.service.js';
import { MailSettings } from '../src/events/notifications/mail/mail-settings.js';
import { NotificationMailsService } from '../src/events/notifications/mail/notification-mails.service.js';
import { WebhookSettings } from '../src/events/webhooks/deliveries/webhook-settings.js';
import type { JobContext } from '../src/jobs/job-handler.registry.js';
import type { Job } from '../src/jobs/job.js';
import { MailServer } from './support/mail-server.js';
import type { Json, Person } from './support/person.js';
import { Receiver } from './support/receiver.js';
import { withShiftedClock } from './support/shifted-clock.js';
import { until } from './support/until.js';
import { done, peopleOf, type People, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const mailServer = new MailServer();
let world: World;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  world = await World.start({ ...(await mailServer.start()), OUTBOUND_ALLOW: '127.0.0.0/8' });
  Object.assign(world.get(MailSettings), { settleMs: 500, intervalMs: 500, firstRetryMs: 20, longestRetryMs: 50 });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
});
afterAll(async () => {
  await world.stop();
  await mailServer.stop();
});
beforeEach(() => {
  mailServer.refuse = () => undefined;
});

const SETTINGS = '/api/identity/users/notifications';
const choose = (person: Person, design: string) =>
  done(person.put(SETTINGS, { categories: { design: { email: design } } }));
/** Accounts are sent emails of other kinds, too. */
const isNotification = (raw: string): boolean => raw.includes('List-Unsubscribe-Post');
const mailsTo = ({ email }: Person): string[] => mailServer.all(email).filter(isNotification);
const attemptsTo = ({ email }: Person): number =>
  mailServer.attempts.filter(({ to, raw }) => to === email && isNotification(raw)).length;
const sweep = () => world.get(MailRequestsService).sweep();
const design = (name: string) => scene.design(people.editor, name);

/** Someone who reads the workspace and is mailed about designs. */
async function reader(frequency: string): Promise<Person> {
  const person = await world.person();
  await done(people.admin.put(`${scene.path}/members/${person.id}`, { role: 'viewer' }));
  await choose(person, frequency);
  return person;
}

/** Lets mail be due now and waits until it was looked at. */
async function makeDue(person: Person): Promise<void> {
  await world.sql('UPDATE notification_mail SET due_at = now() WHERE user_id = $1', [person.id]);
  await until(async () => {
    await sweep();
    const rows = await world.sql<{ due: boolean }>(
      'SELECT coalesce(claim IS NOT NULL OR due_at <= now(), false) AS due FROM notification_mail WHERE user_id = $1',
      [person.id],
    );
    return rows.every(({ due }) => !due);
  }, 30_000);
}

const sentTo = async (person: Person, count: number): Promise<string[]> => {
  await until(async () => {
    if (mailsTo(person).length >= count) return true;
    await sweep();
    return false;
  }, 30_000);
  return mailsTo(person);
};

describe('mail about events', () => {
  it('is sent at once to those who want it, one for all that comes together, and ends with one click', async () => {
    const wants = await reader('realtime');
    const gone = await reader('realtime');
    await choose(people.editor, 'realtime');
    world.get(MailSettings).settleMs = 120_000;
    await design('<b>first</b>');
    // The name of a record has no line break; that of a file may have.
    const file = JSON.stringify({
      name: 'second\r\nBcc: all@example.org',
      schemaVersion: 'designs.meshery.io/v1beta1',
      components: [],
    });
    await done(people.editor.upload('/api/pattern/import', 'second.json', file, { workspace_id: scene.id }));
    await done(people.admin.delete(`${scene.path}/members/${gone.id}`));
    world.get(MailSettings).settleMs = 500;
    await makeDue(wants);
    const [mail] = (await sentTo(wants, 1)) as [string];
    expect(mail).toMatch(/^Subject: \[[^\]]+\] 2 notifications\r$/m);
    expect(mail).toMatch(/^List-Unsubscribe: <http[^>]+\/api\/notifications\/unsubscribe\/[\w-]{43}>\r$/m);
    expect(mail).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    expect(mail).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail).not.toMatch(/^Bcc:/m);
    expect(mail).toContain('&lt;b&gt;first');
    expect(mail).toContain('text/html');
    await makeDue(gone);
    expect(mailsTo(gone)).toEqual([]);
    expect(mailsTo(people.editor)).toEqual([]);
    expect(mailsTo(wants)).toHaveLength(1);

    const path = new URL(/List-Unsubscribe: <([^>]+)>/.exec(mail)?.[1] ?? '').pathname;
    const { stranger } = world;
    expect((await stranger.get(path)).body).toContain('<form method="post">');
    expect((await done(wants.get(SETTINGS))).categories.design.email).toBe('realtime');
    const click = () =>
      stranger.call('POST', path, {
        body: 'List-Unsubscribe=One-Click',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    for (const answer of [await click(), await click()]) expect(answer.status).toBe(200);
    const { categories } = await done(wants.get(SETTINGS));
    expect(Object.values<Json>(categories).every(({ email }) => email === 'off')).toBe(true);
    const root = path.slice(0, path.lastIndexOf('/') + 1);
    for (const token of ['x', 'A'.repeat(43), `${path.slice(root.length, -3)}AAA`])
      for (const answer of [await stranger.get(root + token), await stranger.post(root + token)])
        expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    await design('after unsubscribing');
    await sweep();
    expect(mailsTo(wants)).toHaveLength(1);
  }, 60_000);

  it('is one digest however many events there were, and none when there was nothing', async () => {
    const daily = await reader('daily');
    await makeDue(daily);
    expect(mailsTo(daily)).toEqual([]);
    const { id } = await design('much changed');
    for (let n = 0; n < 60; n++) await done(people.editor.put('/api/pattern/yaml', { id, name: `name ${n}` }));
    await makeDue(daily);
    const [mail] = (await sentTo(daily, 1)) as [string];
    expect(mail).toMatch(/61 notifications of the day/);
    expect(mail).toContain('and 11 more');
    await makeDue(daily);
    await design('read in the application');
    await done(daily.put('/api/notifications', { all: true }));
    await makeDue(daily);
    expect(mailsTo(daily)).toHaveLength(1);
    const [{ due }] = (await world.sql<{ due: Date }>(
      'SELECT due_at AS due FROM notification_mail WHERE user_id = $1',
      [daily.id],
    )) as [{ due: Date }];
    expect(due.toISOString()).toMatch(/T08:00:00.000Z$/);
    await choose(daily, 'off');
    expect(await world.sql('SELECT FROM notification_mail WHERE user_id = $1', [daily.id])).toEqual([]);
  }, 90_000);

  it('is one digest where the clock of the server is behind that of the database', async () => {
    const hourly = await reader('hourly');
    await design('before the hour');
    await withShiftedClock(-90 * 60_000, async () => {
      await makeDue(hourly);
      await sentTo(hourly, 1);
      await design('after the hour');
      await sweep();
    });
    const rows = await world.sql('SELECT FROM notification_mail WHERE user_id = $1 AND due_at > now()', [hourly.id]);
    expect(rows).toHaveLength(1);
    expect(mailsTo(hourly)).toHaveLength(1);
    await choose(hourly, 'off');
  }, 90_000);

  it('outlasts a mail server that refuses for a while or hangs up, and gives up what is refused for good', async () => {
    const hourly = await reader('hourly');
    await design('refused at first');
    const refusals = [{ code: 451 }, 'hang up' as const, { code: 451 }];
    const ids: string[] = [];
    mailServer.refuse = (to, raw) => (to === hourly.email && isNotification(raw) ? refusals.shift() : undefined);
    await makeDue(hourly);
    const [mail] = (await sentTo(hourly, 1)) as [string];
    ids.push(/^Message-ID: (.*)\r$/im.exec(mail)?.[1] ?? '');
    expect(ids[0]).toMatch(/^<[\w-]+@example\.org>$/);
    expect(attemptsTo(hourly)).toBe(4);

    mailServer.refuse = (to, raw) => (to === hourly.email && isNotification(raw) ? { code: 550 } : undefined);
    await design('refused for good');
    await makeDue(hourly);
    expect(attemptsTo(hourly)).toBe(5);
    mailServer.refuse = () => undefined;
    await design('taken again');
    await makeDue(hourly);
    const [, second] = (await sentTo(hourly, 2)) as [string, string];
    expect(second).toContain('taken again');
    expect(second).not.toContain('refused for good');

    world.get(MailSettings).maxAttempts = 2;
    mailServer.refuse = (to, raw) => (to === hourly.email && isNotification(raw) ? { code: 421 } : undefined);
    await design('never taken');
    await makeDue(hourly);
    expect(attemptsTo(hourly)).toBe(8);
    world.get(MailSettings).maxAttempts = 13;
  }, 90_000);

  it('is sent by one process, and sent again by another when that dies before it is done', async () => {
    const hourly = await reader('hourly');
    await design('sent once');
    const key = { userId: hourly.id, frequency: 'hourly' as const };
    const job = { payload: key } as Job<typeof key>;
    const context = (assertLeased: () => Promise<void>): JobContext => ({
      ...{ actor: Actor.system('test'), requestedBy: null, signal: new AbortController().signal },
      ...{ reportProgress: () => undefined, assertLeased, endTurn: () => Promise.resolve() },
    });
    const service = world.get(NotificationMailsService);
    const due = () => world.sql('UPDATE notification_mail SET due_at = now() WHERE user_id = $1', [hourly.id]);
    await due();
    const run = () =>
      service.run(
        job,
        context(() => Promise.resolve()),
      );
    await Promise.all([run(), run(), run()]);
    expect(await sentTo(hourly, 1)).toHaveLength(1);

    await design('taken over');
    await due();
    const lost = service.run(
      job,
      context(() => Promise.reject(new Error('lease lost'))),
    );
    await expect(lost).rejects.toThrow('lease lost');
    expect(mailsTo(hourly)).toHaveLength(1);
    await run();
    expect(mailsTo(hourly)).toHaveLength(2);
    // A process that died after the claim: the same mail is due again under the same id.
    await design('claimed and left');
    const claim = { messageId: '<left@example.org>', since: new Date(0).toISOString(), windows: {} as Json };
    const [{ positions }] = (await world.sql<Json>('SELECT positions FROM notification_mail WHERE user_id = $1', [
      hourly.id,
    ])) as [Json];
    for (const [feed, after] of Object.entries(positions)) claim.windows[feed] = [after, String(Number(after) + 1_000)];
    await world.sql('UPDATE notification_mail SET claim = $2, due_at = now() WHERE user_id = $1', [
      hourly.id,
      JSON.stringify(claim),
    ]);
    await run();
    const third = (await sentTo(hourly, 3))[2] ?? '';
    expect(third).toContain('Message-ID: <left@example.org>');
    expect(third).toContain('claimed and left');
  }, 60_000);

  it('notifies the owner of an endpoint before it is disabled, and when it is', async () => {
    const receiver = await Receiver.start();
    receiver.answer = (response) => void response.writeHead(500).end();
    Object.assign(world.get(WebhookSettings), {
      ...{ retryDelaysMs: Array<number>(9).fill(50), minPauseMs: 50, maxPauseMs: 100 },
    });
    const webhook = await done(
      people.admin.post(`${scene.path}/webhooks`, { url: receiver.url, events: ['design.created'] }),
    );
    const age = (days: number) =>
      world.sql(`UPDATE webhook SET failing_since = now() - make_interval(days => $2) WHERE id = $1`, [
        webhook.id,
        days,
      ]);
    await age(2);
    await design('failing');
    expect((await sentTo(people.admin, 1)).join()).toContain('is failing and will be disabled');
    await age(6);
    await design('failing still');
    expect((await sentTo(people.admin, 2)).join()).toContain('was disabled');
    const { notifications } = await done(people.admin.get('/api/notifications?filter={"category":"webhook"}'));
    expect(notifications.map((n: Json) => n.action)).toEqual(['disabled', 'failing']);
    expect(mailsTo(people.organizationAdmin)).toEqual([]);
    await receiver.stop();
  }, 60_000);

  it('does not go to addresses that nobody has confirmed, nor to accounts that are deactivated', async () => {
    const unconfirmed = await reader('hourly');
    const deactivated = await reader('hourly');
    await world.sql('UPDATE app_user SET unconfirmed_by = $2 WHERE id = $1', [unconfirmed.id, people.owner.id]);
    await world.sql('UPDATE app_user SET deactivated_at = now() WHERE id = $1', [deactivated.id]);
    await design('not for them');
    for (const person of [unconfirmed, deactivated]) {
      await makeDue(person);
      expect(mailsTo(person)).toEqual([]);
    }
  }, 60_000);
});
