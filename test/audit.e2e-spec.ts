import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import tls from 'node:tls';
import { text as collect } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { AUDITED_CALL } from '../src/core/authorization/audited-call.js';
import { REST_OPERATION } from '../src/core/rest/openapi/rest-operation.metadata.js';
import { Actor } from '../src/core/access/actor.js';
import { Forbidden } from '../src/core/errors/app-error.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import { PersonalIdentifiersStore } from '../src/events/audit/personal-identifiers.store.js';
import { AuditEntriesStore } from '../src/events/audit/audit-entries.store.js';
import { AuditEntry, INSTALLATION_CHAIN } from '../src/events/audit/audit.entity.js';
import { AuditService } from '../src/events/audit/audit.service.js';
import { AuditForwarder } from '../src/events/audit/forwarding/audit-forwarder.service.js';
import { parseForwardTarget } from '../src/events/audit/forwarding/forward-target.js';
import { OtlpSender } from '../src/events/audit/forwarding/otlp.sender.js';
import { SyslogDatagramSender, SyslogStreamSender } from '../src/events/audit/forwarding/syslog.sender.js';
import { AuditSealer } from '../src/events/audit/chain/audit-sealer.service.js';
import { canonicalJson } from '../src/core/json/canonical-json.js';
import { ChainSignatures } from '../src/events/audit/chain/chain-signatures.service.js';
import { ChainsStore } from '../src/events/audit/chain/chains.store.js';
import { hashEntry, sha256 } from '../src/events/audit/chain/entry-hash.js';
import { PendingRowsStore } from '../src/events/audit/chain/pending-rows.store.js';
import { SealedHeads } from '../src/events/audit/chain/sealed-heads.js';
import { AuditReportsService } from '../src/events/audit/reports/audit-reports.service.js';
import { AuditRetentionService } from '../src/events/audit/reports/audit-retention.service.js';
import { CheckpointsStore } from '../src/events/audit/reports/checkpoints.store.js';
import { UsersStore } from '../src/organizations/users/users.store.js';
import { freePort } from './support/free-port.js';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from './support/certificates.js';
import type { Json, Person } from './support/person.js';
import { Receiver } from './support/receiver.js';
import { trust } from './support/trust.js';
import { until } from './support/until.js';
import { done, peopleOf, type People, WorkspaceScene } from './support/workspace-scene.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

let world: World;
let collector: Collector;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  collector = await Collector.start();
  world = await World.start({ AUDIT_FORWARD: `syslog://127.0.0.1:${collector.port}` });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
});
afterAll(async () => {
  await world.stop();
  await collector.stop();
});

const audit = (organization = world.organization): string => `/api/identity/orgs/${organization}/audit`;
const entriesOf = async (query: string, base = audit(), by: Person = world.admin): Promise<Json[]> =>
  (await done(by.get(`${base}?pagesize=100&${query}`))).entries as Json[];
const newEnvironment = (fields: Json = {}, by: Person = world.admin) =>
  done(
    by.post('/api/environments', { name: `audited ${randomUUID()}`, organization_id: world.organization, ...fields }),
  );

describe('an entry of a change', () => {
  it('records who did what from where, with what was before and after', async () => {
    const environment = await newEnvironment({ description: 'first' }, people.organizationAdmin);
    const changed = await people.organizationAdmin.put(
      `/api/environments/${environment.id}`,
      { description: 'second' },
      { headers: { 'user-agent': 'audit-test/1', 'x-request-id': 'request-of-the-test' } },
    );
    expect(changed.status).toBe(200);
    const [updated, created] = await entriesOf(`resource=${environment.id}`);
    expect(updated).toMatchObject({
      action: 'environment.updated',
      outcome: 'allowed',
      reason: null,
      count: 1,
      organization_id: world.organization,
      actor: { kind: 'user', id: people.organizationAdmin.id, name: people.organizationAdmin.email },
      token_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resource: { type: 'environment', id: environment.id },
      before: { description: 'first' },
      after: { description: 'second' },
      operation: 'updateEnvironment',
      via: 'rest',
      address: expect.stringMatching(/127\.0\.0\.1/),
      user_agent: 'audit-test/1',
      request_id: 'request-of-the-test',
    });
    expect(created).toMatchObject({ action: 'environment.created', before: null, after: { description: 'first' } });
    expect(updated.previous_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(BigInt(updated.sequence)).toBeGreaterThan(BigInt(created.sequence));
  });

  it('shows of a secret only that it changed', async () => {
    const secret = `secret-${randomUUID()}`;
    const credential = await done(
      world.admin.post('/api/integrations/credentials', {
        ...{ name: 'audited', type: 'custom', secret: { password: secret }, organization_id: world.organization },
      }),
    );
    await done(
      world.admin.put(`/api/integrations/credentials/${credential.id}`, { secret: { password: `${secret}2` } }),
    );
    const webhook = await done(
      world.admin.post(`${scene.path}/webhooks`, {
        ...{ url: `https://chat.invalid/${secret}`, events: ['*'], headers: { authorization: secret } },
      }),
    );
    const connection = await done(
      world.admin.post('/api/integrations/connections', {
        ...{ name: 'audited', kind: 'tooling', organization_id: world.organization },
        metadata: { url: `https://tool.invalid/path?key=${secret}`, nested: [{ api_token: secret }], version: '1.2' },
      }),
    );
    const [updated, created] = await entriesOf(`resource=${credential.id}`);
    expect((await entriesOf(`resource=${connection.id}`))[0]).toMatchObject({
      after: { metadata: { url: 'https://tool.invalid/path', nested: [{ api_token: '[redacted]' }], version: '1.2' } },
    });
    expect(created.after).toMatchObject({ name: 'audited', secret: '[redacted]' });
    expect(updated.before).toEqual({ secret: '[redacted]' });
    expect(updated.after).toEqual({ secret: '[redacted]' });
    const [hook] = await entriesOf(`resource=${webhook.id}&action=webhook.created`);
    expect(hook.after).toMatchObject({ url: 'https://chat.invalid', secrets: '[redacted]' });
    const all = await world.sql<{ text: string }>(
      `SELECT coalesce(string_agg(personal || details, ''), '') AS text FROM audit_entry`,
    );
    expect(all[0]?.text).toContain('[redacted]');
    expect(all[0]?.text).not.toContain(secret);
    expect(all[0]?.text).not.toContain('$argon2');
  });

  it('records the changes of other records that came with an event', async () => {
    const environment = await newEnvironment();
    await done(world.admin.post(`${scene.path}/environments/${environment.id}`));
    const [assigned] = await entriesOf(`action=workspace.environment_assigned&resource=workspace:${scene.id}`);
    expect(assigned.changes).toContainEqual(
      expect.objectContaining({
        action: 'workspace_environment.created',
        after: expect.objectContaining({ environment_id: environment.id, workspace_id: scene.id }),
      }),
    );
  });

  it('is written with a statement that no service sent, and not without the change', async () => {
    const environment = await newEnvironment();
    await asOwner((client) =>
      client.query(`UPDATE environment SET description = 'by hand' WHERE id = $1`, [environment.id]),
    );
    const [byHand] = await entriesOf(`resource=${environment.id}`);
    expect(byHand).toMatchObject({
      action: 'environment.updated',
      actor: { kind: 'database', id: null, name: expect.any(String) },
      via: 'database',
      after: { description: 'by hand' },
    });
    await asOwner(async (client) => {
      await client.query('BEGIN');
      await client.query(`UPDATE environment SET description = 'taken back' WHERE id = $1`, [environment.id]);
      await client.query('ROLLBACK');
    });
    expect(await entriesOf(`resource=${environment.id}`)).toHaveLength(2);
  });

  it("is nobody's but that of the database when it is written there in the name of another", async () => {
    const environment = await newEnvironment();
    const { admin } = people;
    const claim = JSON.stringify({ request: 'claimed', via: 'rest', caller: admin.id, address: '203.0.113.1' });
    await asOwner(async (client) => {
      await client.query('BEGIN');
      for (const [name, value] of [
        ['armature.user', admin.id],
        ['armature.request', `${'A'.repeat(22)} ${claim}`],
      ])
        await client.query('SELECT set_config($1, $2, true)', [name, value]);
      await client.query(`UPDATE environment SET description = 'claimed' WHERE id = $1`, [environment.id]);
      await client.query(
        `INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
         VALUES (pg_current_xact_id()::text::bigint, $1, 'refusal', 'deleteWorkspace', 'workspace', $2, '{}', $3, $4, now())`,
        [world.organization, scene.id, admin.id, claim],
      );
      await client.query('COMMIT');
      await client.query('BEGIN');
      await client.query(`SELECT set_config('armature.user', $1, true)`, [admin.id]);
      await client.query(`UPDATE environment SET description = 'without a request' WHERE id = $1`, [environment.id]);
      await client.query('COMMIT');
    });
    const unsigned = { actor: { kind: 'database', id: null, name: 'not signed by the server' }, via: 'database' };
    expect((await entriesOf(`resource=${environment.id}`)).slice(0, 2)).toMatchObject([
      { after: { description: 'without a request' }, ...unsigned },
      { after: { description: 'claimed' }, address: null, request_id: null, ...unsigned },
    ]);
    const [refused] = await entriesOf(`resource=workspace:${scene.id}&action=deleteWorkspace&actor=database`);
    expect(refused).toMatchObject(unsigned);
  });

  it('does not take over a change that was written by hand into the same transaction', async () => {
    const environment = await newEnvironment({ description: 'true' });
    // The sealer of the server is kept waiting until the row is there.
    const entries = await asOwner(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(4152781)');
      await done(world.admin.put(`/api/environments/${environment.id}`, { description: 'changed' }));
      await client.query(
        `INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, before, after, acting, created_at, change_set)
         SELECT transaction, chain, 'change', 'environment.updated', 'environment', resource_id, '{"tier":"forged"}',
                '{"tier":"forged"}', acting, created_at, change_set FROM audit_pending WHERE source = 'change' AND action = 'environment.updated' AND resource_id = $1`,
        [environment.id],
      );
      await client.query('COMMIT');
      return entriesOf(`resource=${environment.id}&action=environment.updated`);
    });
    expect(entries).toHaveLength(2);
    expect(entries.find(({ actor }) => actor.kind === 'user')).toMatchObject({ after: { description: 'changed' } });
    expect(entries.find(({ actor }) => actor.kind === 'user')?.after).not.toHaveProperty('tier');
    expect(entries.find(({ actor }) => actor.kind === 'database')).toMatchObject({ after: { tier: 'forged' } });
  });

  it('is sealed whatever it holds that was written there by hand, and holds up nothing', async () => {
    const made = [
      `'refusal', 'by.hand', '{"reason":{"a":1},"count":99999999999}', now()`,
      `'refusal', 'by.hand', '{"reason":7,"count":"many"}', now()`,
      `'refusal', 'by.hand', '{"count":-1.5}', now()`,
      `'event', 'by.hand', '[1]', now()`,
      `'event', 'by.hand', '{"metadata":"text","system_actor":{}}', 'infinity'`,
      `'change', 'by.hand', '"text"', '0044-03-15 BC'`,
      `'other', 'by.hand', NULL, '20000-01-01'`,
    ];
    await asOwner(async (client) => {
      for (const [index, values] of made.entries())
        await client.query(
          `INSERT INTO audit_pending (transaction, chain, resource_type, resource_id, acting, context, source, action, after, created_at)
           SELECT $3, $1, 'by_hand', repeat('x', 10000), $2, 'short', ${values}`,
          [world.organization, world.admin.id, index],
        );
    });
    const environment = await newEnvironment();
    expect(await entriesOf(`resource=${environment.id}`)).toHaveLength(1);
    const entries = await entriesOf('action=by.hand');
    expect(entries).toHaveLength(made.length);
    for (const { actor, count, created_at } of entries) {
      expect(actor).toMatchObject({ kind: 'database', id: null });
      expect(count).toBeGreaterThan(0);
      expect(created_at).toMatch(/^20\d\d-/);
    }
    expect(await done(world.admin.get(`${audit()}/verify`))).toMatchObject({ valid: true });
  });

  it('names the system and on whose behalf a job works', async () => {
    const users = world.get(UsersStore);
    const actor = Actor.system('job of the test');
    await runInRequestContext(
      { requestId: 'job-1', actor, onBehalfOf: people.member.id, origin: { via: 'job' } },
      async () => {
        const member = await users.find(people.member.id);
        await users.update(member!, { firstName: 'Renamed' });
      },
    );
    const [renamed] = await entriesOf(`resource=${people.member.id}`, '/api/system/audit');
    expect(renamed).toMatchObject({
      action: 'user.updated',
      actor: { kind: 'system' },
      after: { first_name: 'Renamed' },
    });
  });

  it('has a place for what belongs to no organization: sign-ins, and those that failed', async () => {
    const person = await world.signIn(people.viewer.email, PASSWORD);
    const [opened] = await entriesOf(`actor=${people.viewer.id}&action=session.created`, '/api/system/audit');
    expect(opened).toMatchObject({
      actor: { kind: 'user', name: person.email },
      organization_id: null,
      operation: 'signIn',
    });
    expect(
      (await world.stranger.post('/api/auth/login', { email: person.email, password: 'a wrong one' })).status,
    ).toBe(401);
    const [failed] = await entriesOf(`outcome=refused&resource=user:${people.viewer.id}`, '/api/system/audit');
    expect(failed).toMatchObject({
      action: 'signIn',
      reason: 'UNAUTHENTICATED',
      actor: { kind: 'anonymous', id: null },
    });
    const guess = { email: person.email, password: 'a wrong one' };
    await world.stranger.post('/api/auth/console/login', guess, { headers: { origin: world.baseUrl } });
    const [inBrowser] = await entriesOf(`outcome=refused&resource=user:${people.viewer.id}`, '/api/system/audit');
    expect(inBrowser).toMatchObject({ action: 'signInToConsole', actor: { kind: 'anonymous', id: null } });
    expect((await people.organizationAdmin.get('/api/system/audit')).status).toBe(403);
  });
});

describe('an entry of a call', () => {
  it('is written where nothing is changed: tests, recoveries, exports, downloads, plans, pings and queries', async () => {
    const org = world.organization;
    const { id: hook } = await done(
      people.admin.post(`${scene.path}/webhooks`, {
        url: 'http://no-such-name.invalid/',
        events: ['policy.violation'],
      }),
    );
    const connection = (kind: string, metadata: object): Promise<Json> =>
      done(world.admin.post('/api/integrations/connections', { name: kind, kind, organization_id: org, metadata }));
    const prometheus = await connection('prometheus', { url: 'http://127.0.0.1:9' });
    const grafana = await connection('grafana', { url: 'http://127.0.0.1:9' });
    const cluster = await connection('kubernetes', { server: 'https://127.0.0.1:9' });
    const design = await scene.design();
    const hooks = `${scene.path}/webhooks/${hook}`;
    const telemetry = `/api/telemetry/prometheus/${prometheus.id}`;
    const test = await done(people.admin.post(`${hooks}/test`, {}));
    const range = 'query=up&start=0&end=1&step=1';
    const calls: [operation: string, resource: string | null, by: Person, method: string, path: string, body?: Json][] =
      [
        ['testWorkspaceWebhook', hook, people.admin, 'POST', `${hooks}/test`],
        [
          'recoverWorkspaceWebhook',
          hook,
          people.admin,
          'POST',
          `${hooks}/recover`,
          { since: new Date().toISOString() },
        ],
        ['redeliverWorkspaceWebhookDelivery', hook, people.admin, 'POST', `${hooks}/deliveries/${test.id}/redeliver`],
        ['exportEvents', org, world.admin, 'GET', `/api/identity/orgs/${org}/events/export`],
        ['exportAudit', org, world.admin, 'GET', `${audit()}/export`],
        ['downloadDesign', design.id as string, people.viewer, 'GET', `/api/pattern/download/${design.id}`],
        [
          'tryPolicy',
          scene.id,
          people.admin,
          'POST',
          `${scene.path}/policies/try`,
          { expression: 'true', design_id: design.id },
        ],
        ['pingConnection', prometheus.id, world.admin, 'POST', `/api/integrations/connections/${prometheus.id}/ping`],
        [
          'getConnectionManifest',
          cluster.id,
          world.admin,
          'GET',
          `/api/integrations/connections/${cluster.id}/manifest?for=watch`,
        ],
        ['pingPrometheus', prometheus.id, world.admin, 'GET', `${telemetry}/ping`],
        ['queryPrometheus', prometheus.id, world.admin, 'GET', `${telemetry}/query?query=up`],
        ['queryPrometheusRange', prometheus.id, world.admin, 'GET', `${telemetry}/query_range?${range}`],
        ['listGrafanaBoards', grafana.id, world.admin, 'GET', `/api/telemetry/grafana/${grafana.id}/boards`],
      ];
    for (const [operation, , by, method, path, body] of calls) {
      const { status } = await by.call(method, path, { body });
      expect([operation, [200, 502].includes(status) || status]).toEqual([operation, true]);
    }
    for (const [operation, resource, by] of calls)
      expect([operation, await entriesOf(`action=${operation}&actor=${by.id}`)]).toEqual([
        operation,
        expect.arrayContaining([
          expect.objectContaining({
            outcome: 'allowed',
            reason: null,
            resource: expect.objectContaining({ id: resource }),
          }),
        ]),
      ]);
  });

  it('is written by every operation that writes, unless its change is an entry', async () => {
    const audited = await world.sql<{ name: string }>(
      `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE proname ~ '^audit_'`,
    );
    const tables = new Set(audited.map(({ name }) => name));
    const unknown: string[] = [];
    for (const { controllers } of world.get(ModulesContainer).values())
      for (const { metatype } of controllers.values()) {
        const handlers = Object.values(Object.getOwnPropertyDescriptors(metatype?.prototype ?? {}));
        for (const { value: handler } of handlers) {
          if (typeof handler !== 'function') continue;
          const operation = (Reflect.getMetadata(REST_OPERATION, handler) as { id: string } | undefined)?.id;
          const isRead = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
          if (operation === undefined || (isRead && !READS.test(operation))) continue;
          const changed = CHANGES.find(([names]) => names.test(operation))?.[1];
          const hasEntry = Reflect.getMetadata(AUDITED_CALL, handler) === true || (changed && tables.has(changed));
          if (!hasEntry) unknown.push(`${operation} ${changed ?? ''}`);
        }
      }
    expect(unknown).toEqual([]);
  });
});

/** Operations that read what leaves the server, or from another system. */
const READS = /^(export|download|ping|query)|Logs$|Manifest$|Rights$|Prometheus|Grafana/;
/** The audited tables of which the other operations change a row. */
const CHANGES: [operations: RegExp, table: string][] = [
  [/WebhookDelivery$|^recover/, ''],
  [/Freeze/, 'environment_freeze'],
  [/Webhook/, 'webhook'],
  [/EnvironmentConnection/, 'environment_connection'],
  [/WorkspaceEnvironment/, 'workspace_environment'],
  [/WorkspaceTeam/, 'workspace_team'],
  [/WorkspaceMember/, 'workspace_member'],
  [/^(publish|unpublish)/, 'publication'],
  [/deploy|Deployment/i, 'deployment'],
  [/PerformanceRun|^runPerformance/, 'performance_run'],
  [/PerformanceProfile/, 'performance_profile'],
  [/TeamUser/, 'team_member'],
  [/OrganizationUser/, 'organization_member'],
  [/^(signIn|signOut|refresh)/, 'session'],
  [/Invitation/, 'invitation'],
  [/Token/, 'personal_token'],
  [/Policy/, 'policy'],
  [/Quota|Workspace/, 'workspace'],
  [/Environment/, 'environment'],
  [/Design/, 'design'],
  [/Filter/, 'filter'],
  [/Credential/, 'credential'],
  [/Kubeconfig|Connection/, 'connection'],
  [/Team/, 'team'],
  [/Organization/, 'organization'],
  [/User|Password|Profile|Account/, 'app_user'],
  [/Notification/, 'notification_settings'],
  [/register|generate|Entit|Model|Component|Relationship|Registrant|purge|erase|Events?/i, 'event'],
];

describe('an entry of a refusal', () => {
  it('records who was refused what, and why', async () => {
    expect((await people.viewer.delete(scene.path)).status).toBe(403);
    const [refused] = await entriesOf(`outcome=refused&actor=${people.viewer.id}`);
    expect(refused).toMatchObject({
      action: 'deleteWorkspace',
      outcome: 'refused',
      reason: 'FORBIDDEN',
      resource: { type: 'workspace', id: scene.id },
      before: null,
      after: null,
    });
  });

  it('records for an organization that an outsider tried, without their name', async () => {
    expect((await people.outsider.put(scene.path, { name: 'taken' })).status).toBe(404);
    const [refused] = await entriesOf(`outcome=refused&actor=${people.outsider.id}`);
    expect(refused).toMatchObject({
      action: 'updateWorkspace',
      reason: 'NOT_FOUND',
      actor: { id: people.outsider.id, name: null },
    });
  });

  it('comes from GraphQL too', async () => {
    const { organization } = people.outsider as Person & { organization: string };
    const query = `{ environments(orgID: "${organization}") { total_count } }`;
    const { body } = await people.viewer.post('/api/system/graphql/query', { query });
    expect(body.errors).toHaveLength(1);
    const [refused] = await entriesOf(`actor=${people.viewer.id}`, audit(organization), people.outsider);
    expect(refused).toMatchObject({
      ...{ action: 'environments', outcome: 'refused', reason: 'NOT_FOUND', via: 'graphql' },
      resource: { type: 'organization', id: organization },
    });
  });

  it('says who called more often than the limit allows', async () => {
    const limited = await World.start({ RATE_LIMIT: 'on', LIMIT_WRITES_PER_MINUTE: '3' });
    try {
      const { admin } = limited;
      const write = () => admin.put('/api/identity/users/profile', { first_name: 'Again' });
      const statuses: number[] = [];
      for (let count = 0; count < 8; count++) statuses.push((await write()).status);
      expect(statuses.at(-1)).toBe(429);
      const entries = await entriesOf(`outcome=refused&actor=${admin.id}`, '/api/system/audit', admin);
      expect(entries).toMatchObject([{ reason: 'RATE_LIMITED', via: 'rest' }]);
    } finally {
      await limited.stop();
    }
  });

  it('stands for many that are the same, and for a flood', async () => {
    const flooder = await world.person();
    for (let round = 0; round < 5; round++) await flooder.delete(scene.path);
    await Promise.all(Array.from({ length: 60 }, () => flooder.get(`/api/workspaces/${randomUUID()}`)));
    const inOrganization = await entriesOf(`outcome=refused&actor=${flooder.id}`);
    expect(inOrganization).toHaveLength(1);
    const elsewhere = await entriesOf(`outcome=refused&actor=${flooder.id}`, '/api/system/audit');
    expect(elsewhere.length).toBeLessThanOrEqual(31);
    expect(elsewhere.filter(({ reason }) => reason === 'MANY_REFUSALS')).toHaveLength(1);
  });
});

describe('the list', () => {
  it('takes filters, pages and cursors, and names what is wrong', async () => {
    const all = await done(world.admin.get(`${audit()}?pagesize=2&order=sequence asc`));
    expect(all).toMatchObject({ page: 0, page_size: 2, total_count: expect.any(Number) });
    expect(all.entries.map(({ sequence }: Json) => sequence)).toEqual(['1', '2']);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Json = await done(world.admin.get(`${audit()}?pagesize=50&cursor=${cursor}&action=environment.*`));
      walked.push(...page.entries.map(({ action }: Json) => action));
      cursor = page.next_cursor;
    }
    expect(walked.length).toBeGreaterThan(2);
    expect(walked.every((action) => action.startsWith('environment.'))).toBe(true);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await entriesOf(`since=${tomorrow}`)).toEqual([]);
    expect((await entriesOf(`until=${tomorrow}&outcome=allowed`)).length).toBeGreaterThan(2);
    const times = ['since=now', 'since=2026-13-01T00:00:00Z', 'until=2026-02-30'];
    for (const bad of ['actor=nobody%20here', 'outcome=perhaps', 'resource=A%27', ...times])
      for (const path of ['', '/export'])
        expect(await world.admin.get(`${audit()}${path}?${bad}`)).toMatchObject({
          status: 400,
          body: { errors: [{ pointer: expect.stringContaining(bad.split('=')[0] as string) }] },
        });
    expect(await world.admin.get(`${audit()}?order=hash`)).toMatchObject({ status: 400 });
    expect((await world.admin.get(`${audit()}?since=&until=&actor=`)).status).toBe(200);
  });

  it('is for admins of the organization', async () => {
    for (const path of ['', '/verify', '/export', '/checkpoints']) {
      expect((await people.member.get(audit() + path)).status).toBe(403);
      expect((await people.outsider.get(audit() + path)).status).toBe(404);
      expect((await people.stranger.get(audit() + path)).status).toBe(401);
    }
    const own = await entriesOf('', audit((people.outsider as Json).organization as string), people.outsider);
    expect(own.length).toBeGreaterThan(0);
    expect(own.every(({ organization_id }) => organization_id === (people.outsider as Json).organization)).toBe(true);
  });

  it('is exported as long as its reader is an admin', async () => {
    const { id, email } = await world.person('admin');
    const reader = Actor.user({ id, email, installationAdmin: false });
    const download = await world.get(AuditService).export(reader, world.organization, {});
    const stream = (await download.openStream(() => undefined)).getStream();
    await done(world.admin.put(`/api/identity/orgs/${world.organization}/users/${id}`, { role: 'member' }));
    await expect(collect(stream)).rejects.toThrow(Forbidden);
  });

  it('is exported as long as the token of its reader holds', async () => {
    const token = await done(world.admin.post('/api/identity/tokens', { name: 'auditor', scopes: ['admin'] }));
    const entries = world.get(AuditEntriesStore);
    const read = entries.readAfter.bind(entries);
    let goOn: () => void = () => undefined;
    const revoked = new Promise<void>((resolve) => (goOn = resolve));
    entries.readAfter = (...given) => revoked.then(() => read(...given));
    const headers = { authorization: `Bearer ${token.token}` };
    try {
      const response = await fetch(`${world.baseUrl}${audit()}/export`, { headers });
      expect(response.status).toBe(200);
      await done(world.admin.delete(`/api/identity/tokens/${token.id}`));
      goOn();
      await expect(response.text()).rejects.toThrow('terminated');
    } finally {
      entries.readAfter = read;
    }
  });
});

describe('the chain', () => {
  /** As after a restart of the server. */
  const forget = (): unknown => Object.assign(world.get(SealedHeads), { heads: new Map() });
  const verify = async (query = ''): Promise<Json> => done(world.admin.get(`${audit()}/verify?${query}`));
  const exported = async (query = ''): Promise<string> => {
    const response = await fetch(`${world.baseUrl}${audit()}/export?${query}`, {
      headers: { authorization: `Bearer ${world.admin.token}` },
    });
    expect(response.headers.get('content-type')).toContain('application/x-ndjson');
    return response.text();
  };

  it('is verified by the server, as an operation too', async () => {
    await newEnvironment();
    const result = await verify();
    expect(result).toMatchObject({ valid: true, erased: 0, removed_through: '0' });
    expect(result).not.toHaveProperty('first_invalid');
    expect(String(result.entries)).toBe(result.head.sequence);
    const accepted = await world.admin.get(`${audit()}/verify?async=true`);
    expect(accepted.status).toBe(202);
    const operation = (): Promise<Json> => done(world.admin.get(`/api/operations/${accepted.body.id}`));
    await until(async () => (await operation()).status === 'succeeded');
    expect((await operation()).result).toMatchObject({ valid: true });
    expect((await people.member.get(`/api/operations/${accepted.body.id}`)).status).toBe(404);
  });

  it('is closed by several servers at once, each entry once and in order', async () => {
    const stores = [world.get(UnitOfWork), world.get(PendingRowsStore), world.get(ChainsStore)] as const;
    const signatures = world.get(ChainSignatures);
    const others = [1, 2].map(() => new AuditSealer(...stores, signatures, new SealedHeads()));
    const sealers = [...others, world.get(AuditSealer)];
    const before = Number((await verify()).head.sequence);
    let writing = true;
    const seal = async (sealer: AuditSealer): Promise<void> => {
      while (writing) await sealer.sealCommitted();
    };
    const sealing = sealers.map(seal);
    for (let batch = 0; batch < 5; batch++) await Promise.all(Array.from({ length: 8 }, () => newEnvironment()));
    writing = false;
    await Promise.all(sealing);
    const result = await verify();
    expect(result).toMatchObject({ valid: true });
    expect(Number(result.head.sequence) - before).toBe(40);
  }, 60_000);

  it('is exported so that a script verifies it with nothing else', async () => {
    const { checkpoints } = await done(world.admin.get(`${audit()}/checkpoints`));
    await newEnvironment();
    const whole = await exported();
    const sound = await verifyFile(whole, { checkpoints, key: checkpoints[0].public_key });
    expect(sound).toMatchObject({ status: 0, output: expect.stringContaining('The export is sound') });
    expect(sound.output).toContain('for your key');
    expect(await verifyFile(await exported('action=environment.*'))).toMatchObject({
      status: 0,
      output: expect.stringContaining('It is filtered'),
    });
    const lines = whole.trimEnd().split('\n');
    const at = lines.findIndex((line, index) => index > 3 && line.includes('"type":"entry"'));
    const last = lines.findLastIndex((line) => line.includes('"type":"entry"'));
    const without = (...gone: number[]): string => lines.filter((_, index) => !gone.includes(index)).join('\n');
    const swapped = [...lines];
    [swapped[at], swapped[at + 1]] = [swapped[at + 1] ?? '', swapped[at] ?? ''];
    const spoilt: [string, string][] = [
      [whole.replace('"outcome":"allowed"', '"outcome":"refused"'), 'its fields are not what they were'],
      [whole.replace(/"actor":"[^"]+"/, '"actor":"nobody@example.org"'), 'personal is not what it was'],
      [whole.replace('"after":{', '"after":{"more":1,'), 'details is not what it was'],
      [without(at), 'is missing'],
      [swapped.join('\n'), 'is missing'],
      [without(last), 'The export is NOT sound'],
      [without(lines.length - 1), 'it was cut off'],
      [lines.slice(0, at + 1).join('\n'), 'it was cut off'],
      ['', 'the export is empty'],
    ];
    for (const [text, fault] of spoilt)
      expect(await verifyFile(text)).toMatchObject({ status: 1, output: expect.stringContaining(fault) });
    // An attacker rebuilds the rest of the chain, from one entry on, and signs its heads with another key.
    const forger = generateKeyPairSync('ed25519');
    const anew = remake(lines, at, forger.privateKey, forger.publicKey);
    const takenBy = await verifyFile(anew);
    expect(takenBy).toMatchObject({ status: 0, output: expect.stringContaining(fingerprintOf(forger.publicKey)) });
    expect(await verifyFile(anew, { key: checkpoints[0].public_key })).toMatchObject({
      status: 1,
      output: expect.stringContaining('which is not yours'),
    });
    expect(await verifyFile(anew, { checkpoints })).toMatchObject({
      status: 1,
      output: expect.stringContaining('is not the one of the checkpoint that you kept'),
    });
    const otherKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(await verifyFile(whole, { key: otherKey })).toMatchObject({
      status: 1,
      output: expect.stringContaining('not yours'),
    });
    expect((await verifyFile(null)).status).toBe(2);
  });

  it('is verified by the script however it was stored, and not without its signed heads', async () => {
    const { checkpoints } = await done(world.admin.get(`${audit()}/checkpoints`));
    // What separates lines for Unicode, and for none of JSON, stands in descriptions.
    await newEnvironment({ description: 'one\u2028two\u2029three\u0085four\rfive' });
    const whole = await exported();
    expect(whole).toContain('one\u2028two\u2029three');
    const key = checkpoints[0].public_key as string;
    for (const stored of [whole, `\uFEFF${whole}`, whole.replaceAll('\n', '\r\n')])
      expect(await verifyFile(stored, { key, checkpoints })).toMatchObject({ status: 0 });
    const unsigned = whole.replaceAll(/^\{"type":"checkpoint".*\n/gm, '');
    expect(await verifyFile(unsigned, { key })).toMatchObject({
      status: 1,
      output: expect.stringContaining('have no signed head after them'),
    });
    expect(await verifyFile(whole, { checkpoints: [{ ...checkpoints[0], sequence: '1' }] })).toMatchObject({
      status: 1,
    });
    expect(await verifyFile(await exported('action=none.such'), { key, checkpoints })).toMatchObject({
      status: 0,
      output: expect.stringContaining('checkpoints that you kept were not compared'),
    });
    expect(await verifyFile(Buffer.from(whole, 'utf16le'))).toMatchObject({
      status: 2,
      output: expect.stringContaining('the file is not UTF-8'),
    });
    expect(await verifyFile('', { folder: true })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/^EISDIR/),
    });
  });

  it('ends in every export with a signed head, also while entries are added', async () => {
    let writing = true;
    const write = async (): Promise<void> => {
      while (writing) await newEnvironment();
    };
    const writers = [write(), write(), write()];
    for (let count = 0; count < 5; count++) expect(await verifyFile(await exported())).toMatchObject({ status: 0 });
    writing = false;
    await Promise.all(writers);
  }, 60_000);

  it('shows whatever was done to it with the password of the database', async () => {
    for (let made = 0; made < 6; made++) await newEnvironment();
    const { head } = await verify();
    const last = Number(head.sequence);
    const middle = last - 3;
    const spoil = async (...statements: string[]): Promise<Json> => {
      const result: { found?: Json } = {};
      await asOwner(async (client) => {
        await client.query('CREATE TEMPORARY TABLE kept AS SELECT * FROM audit_entry WHERE chain = $1', [
          world.organization,
        ]);
        for (const statement of statements) await client.query(statement);
        result.found = await verify();
        await client.query('DELETE FROM audit_entry WHERE chain = $1', [world.organization]);
        await client.query('INSERT INTO audit_entry SELECT * FROM kept');
      });
      expect(result.found?.valid).toBe(false);
      return result.found?.first_invalid;
    };
    const one = `chain = '${world.organization}' AND sequence`;
    for (const change of [
      `reason = 'x'`,
      `actor_id = gen_random_uuid()`,
      `created_at = created_at + interval '1 second'`,
      `details = replace(details, 'audited', 'forged')`,
      `personal = '{}'`,
      `personal_salt = NULL`,
      `hash = repeat('0', 64)`,
    ])
      expect(await spoil(`UPDATE audit_entry SET ${change} WHERE ${one} = ${middle}`)).toMatchObject({
        sequence: String(middle),
        id: expect.any(String),
      });
    expect(await spoil(`DELETE FROM audit_entry WHERE ${one} = ${middle}`)).toMatchObject({
      sequence: String(middle),
      detail: 'the entry is missing',
    });
    // One is removed and the others move up, one is inserted and the others move on, two change places.
    const shift = (from: number, by: number): string[] => [
      `UPDATE audit_entry SET sequence = -sequence WHERE ${one} > ${from}`,
      `UPDATE audit_entry SET sequence = -sequence + ${by} WHERE ${one} < 0`,
    ];
    expect(await spoil(`DELETE FROM audit_entry WHERE ${one} = ${middle}`, ...shift(middle, -1))).toMatchObject({
      sequence: String(middle),
    });
    const copy = (await columnsOf('audit_entry')).filter((name) => !['id', 'sequence'].includes(name)).join(', ');
    const putIn = `INSERT INTO audit_entry (id, sequence, ${copy})
      SELECT gen_random_uuid(), sequence + 1, ${copy} FROM audit_entry WHERE ${one} = ${middle}`;
    expect(await spoil(...shift(middle, 1), putIn)).toMatchObject({ sequence: String(middle + 1) });
    expect(
      await spoil(
        `UPDATE audit_entry SET sequence = -1 WHERE ${one} = ${middle}`,
        `UPDATE audit_entry SET sequence = ${middle} WHERE ${one} = ${middle + 1}`,
        `UPDATE audit_entry SET sequence = ${middle + 1} WHERE ${one} = -1`,
      ),
    ).toMatchObject({ sequence: String(middle) });
    expect(await spoil(`DELETE FROM audit_entry WHERE ${one} > ${last - 2}`)).toMatchObject({
      sequence: String(last - 1),
      detail: 'the entry is missing',
    });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('shows entries that were put after its end or before its begin, and continues after them', async () => {
    const ofChain = `chain = '${world.organization}'`;
    const copied = (await columnsOf('audit_entry')).filter((name) => !['id', 'sequence'].includes(name)).join(', ');
    const { head } = await verify();
    const putAt = (sequence: number): string => `INSERT INTO audit_entry (id, sequence, ${copied})
      SELECT gen_random_uuid(), ${sequence}, ${copied} FROM audit_entry WHERE ${ofChain} AND sequence = ${head.sequence}`;
    const last = Number(head.sequence);
    await asOwner(async (client) => {
      const tables = ['audit_entry', 'audit_chain'];
      for (const table of tables)
        await client.query(`CREATE TEMPORARY TABLE kept_${table} AS SELECT * FROM ${table} WHERE ${ofChain}`);
      for (const [spoilt, sequence] of [
        [putAt(last + 1), last + 1],
        [putAt(last + 7), last + 7],
        [putAt(0), 0],
        [`DELETE FROM audit_chain WHERE ${ofChain}`, 1],
        [
          `UPDATE audit_chain SET last = last - 1, hash = (SELECT e.hash FROM audit_entry e
            WHERE e.chain = audit_chain.chain AND e.sequence = audit_chain.last - 1) WHERE ${ofChain}`,
          last,
        ],
      ] as const) {
        await client.query(spoilt);
        const found = { valid: false, first_invalid: { sequence: String(sequence) } };
        expect(await verify()).toMatchObject(found);
        // What comes afterwards is sealed all the same, and does not hide it.
        await newEnvironment({ name: 'after the forged' });
        expect((await entriesOf('action=environment.created'))[0]).toMatchObject({
          after: { name: 'after the forged' },
        });
        expect((await verify()).valid).toBe(false);
        for (const table of tables) {
          await client.query(`DELETE FROM ${table} WHERE ${ofChain}`);
          await client.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
        }
        await client.query(`DELETE FROM audit_checkpoint WHERE ${ofChain} AND sequence > ${last}`);
        forget();
      }
    });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('shows to the server that sealed it that its end was made anew, with the hashes that belong to it', async () => {
    await newEnvironment();
    const { head } = await verify();
    const entry = await world.get(AuditEntriesStore).find(world.organization, head.sequence);
    const forged = Object.assign(new AuditEntry(), entry, { actorId: randomUUID() });
    const replace = ({ actorId, hash }: AuditEntry): Promise<unknown> =>
      asOwner(async (client) => {
        await client.query('UPDATE audit_entry SET actor_id = $2, hash = $3 WHERE id = $1', [forged.id, actorId, hash]);
        await client.query('UPDATE audit_chain SET hash = $2 WHERE chain = $1', [world.organization, hash]);
      });
    await replace(Object.assign(forged, { hash: hashEntry(forged) }));
    expect(await verify()).toMatchObject({
      valid: false,
      first_invalid: { sequence: head.sequence, detail: expect.stringContaining('that this server sealed last') },
    });
    // Another server does not know the hash; it knows that the end is not signed.
    forget();
    const unsigned = {
      valid: false,
      first_invalid: { detail: expect.stringContaining('is not signed by this installation') },
    };
    expect(await verify()).toMatchObject(unsigned);
    await asOwner(async (client) => {
      const ofChain = `WHERE chain = '${world.organization}'`;
      const { rows } = await client.query(`SELECT signature FROM audit_chain ${ofChain}`);
      await client.query(`UPDATE audit_chain SET signature = NULL ${ofChain}`);
      expect(await verify()).toMatchObject(unsigned);
      await client.query(`UPDATE audit_chain SET signature = $1 ${ofChain}`, [rows[0].signature]);
    });
    await replace(entry as AuditEntry);
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('does not sign its end after one that another party wrote', async () => {
    await newEnvironment();
    await verify();
    const ofChain = `WHERE chain = '${world.organization}'`;
    await asOwner(async (client) => {
      const tables = ['audit_entry', 'audit_chain'];
      for (const table of tables)
        await client.query(`CREATE TEMPORARY TABLE kept_${table} AS SELECT * FROM ${table} ${ofChain}`);
      await client.query(`UPDATE audit_chain SET signature = repeat('A', 43) ${ofChain}`);
      for (let number = 0; number < 2; number++) {
        await newEnvironment();
        expect(await verify()).toMatchObject({
          valid: false,
          first_invalid: { detail: expect.stringContaining('is not signed by this installation') },
        });
        // Nor is it signed as a head, for those who keep such.
        const { head } = await verify();
        const { checkpoints } = await done(world.admin.get(`${audit()}/checkpoints`));
        expect(checkpoints[0]?.sequence).not.toBe(head.sequence);
        expect((await verifyFile(await exported())).status).toBe(1);
      }
      for (const table of tables) {
        await client.query(`DELETE FROM ${table} ${ofChain}`);
        await client.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
      }
      forget();
    });
    expect(await verify()).toMatchObject({ valid: true });
  });

  it('shows by its signed heads that its end was removed, or that it was made anew', async () => {
    await newEnvironment();
    const earlier = (await verify()).head.sequence as string;
    const ofChain = `WHERE chain = '${world.organization}'`;
    const [{ signature }] = (await world.sql(`SELECT signature FROM audit_chain ${ofChain}`)) as [
      { signature: string },
    ];
    await newEnvironment();
    await newEnvironment();
    const { checkpoints } = await done(world.admin.get(`${audit()}/checkpoints`));
    const [kept] = checkpoints;
    const end = `UPDATE audit_chain SET last = ${earlier}, signature = '${signature}', hash = (SELECT e.hash FROM audit_entry e
      WHERE e.chain = audit_chain.chain AND e.sequence = ${earlier}) ${ofChain}`;
    const withoutEnd = `DELETE FROM audit_entry ${ofChain} AND sequence > ${earlier}`;
    const withoutHead = `DELETE FROM audit_checkpoint ${ofChain} AND sequence = ${kept.sequence}`;
    await asOwner(async (client) => {
      for (const table of ['audit_entry', 'audit_chain', 'audit_checkpoint'])
        await client.query(`CREATE TEMPORARY TABLE kept_${table} AS SELECT * FROM ${table} ${ofChain}`);
      const head = `UPDATE audit_checkpoint SET`;
      const forger = generateKeyPairSync('ed25519').publicKey;
      await client.query(
        `INSERT INTO audit_key (id, public_key, private_key) SELECT $1, $2, private_key FROM audit_key LIMIT 1`,
        [fingerprintOf(forger), forger.export({ type: 'spki', format: 'pem' })],
      );
      for (const [replaced, detail] of [
        [`hash = repeat('a', 64)`, /not the one that was signed/],
        [`signature = '${Buffer.alloc(64).toString('base64')}'`, /signature of a checkpoint is invalid/],
        [`key_id = '${fingerprintOf(forger)}'`, /does not belong to this installation/],
        [`created_at = created_at - interval '1 day'`, /signature of a checkpoint is invalid/],
      ] as const) {
        await client.query(`${head} ${replaced} ${ofChain} AND sequence = ${kept.sequence}`);
        const { first_invalid: found } = await verify();
        expect(found).toMatchObject({ sequence: kept.sequence, detail: expect.stringMatching(detail) });
        await client.query(`DELETE FROM audit_checkpoint ${ofChain} AND sequence = ${kept.sequence}`);
        await client.query(`INSERT INTO audit_checkpoint SELECT * FROM kept_audit_checkpoint WHERE sequence = $1`, [
          kept.sequence,
        ]);
      }
      await client.query('DELETE FROM audit_key WHERE id = $1', [fingerprintOf(forger)]);
      await client.query(end);
      await client.query(withoutEnd);
      expect(await verify()).toMatchObject({ valid: false, first_invalid: { sequence: kept.sequence } });
      await client.query(withoutHead);
      // The server that sealed it remembers. An end that was signed earlier is signed; a holder of the later head can prove it.
      expect(await verify()).toMatchObject({ valid: false, first_invalid: { sequence: kept.sequence } });
      forget();
      expect(await verify()).toMatchObject({ valid: true });
      expect(await verify(`checkpoint=${kept.sequence}:${kept.hash}`)).toMatchObject({ valid: false });
      expect(await verifyFile(await exported(), { checkpoints: [kept] })).toMatchObject({
        status: 1,
        output: expect.stringContaining('the checkpoint that you kept'),
      });
      for (const table of ['audit_checkpoint', 'audit_entry', 'audit_chain'])
        await client.query(`DELETE FROM ${table} ${ofChain}`);
      for (const table of ['audit_chain', 'audit_entry', 'audit_checkpoint'])
        await client.query(`INSERT INTO ${table} SELECT * FROM kept_${table}`);
    });
    expect(await verify(`checkpoint=${kept.sequence}:${kept.hash}`)).toMatchObject({ valid: true });
    expect(await world.admin.get(`${audit()}/verify?checkpoint=1`)).toMatchObject({ status: 400 });
  });

  it('holds when personal data is erased, and when old entries are removed', async () => {
    const person = await world.person();
    await newEnvironment({ description: 'of a person' }, await promoted(person));
    const before = await entriesOf(`actor=${person.id}`);
    expect(before[0]).toMatchObject({ actor: { name: person.email }, erased: false });
    expect(await people.organizationAdmin.post(`${audit()}/erase`, { user_id: person.id })).toMatchObject({
      status: 403,
    });
    const users = `/api/identity/orgs/${world.organization}/users`;
    const longer = { email: `longer.${person.email}`, role: 'member' };
    const { id: other } = await done(world.admin.post(users, { ...longer, password: PASSWORD }));
    for (const [user_id, code] of [
      [world.admin.id, 'OWN_DATA'],
      [person.id, 'STILL_MEMBER'],
    ])
      expect(await world.admin.post(`${audit()}/erase`, { user_id })).toMatchObject({ status: 409, body: { code } });
    await done(world.admin.delete(`${users}/${person.id}`));
    const erased = await done(world.admin.post(`${audit()}/erase`, { user_id: person.id }));
    expect(JSON.stringify(await entriesOf(`resource=${other}`))).toContain(longer.email);
    expect(erased.entries).toBeGreaterThan(0);
    const text = await exported();
    expect(text.replaceAll(longer.email, '')).not.toContain(person.email);
    expect((await entriesOf(`actor=${person.id}`))[0]).toMatchObject({
      actor: { id: person.id, name: null },
      address: null,
      erased: true,
    });
    const [act] = await entriesOf('action=audit.personal_data_erased');
    expect(act).toMatchObject({ resource: { type: 'user', id: person.id }, actor: { id: world.admin.id } });
    expect(await verify()).toMatchObject({ valid: true, erased: expect.any(Number) });
    expect((await verifyFile(text)).status).toBe(0);

    const { checkpoints } = await done(world.admin.get(`${audit()}/checkpoints`));
    await newEnvironment();
    await world.get(AuditReportsService).sealCommitted();
    await asOwner((client) => client.query(OLDER, [world.organization, checkpoints[0].sequence]));
    const env = Object.assign(Object.create(world.app.get<Env>(Env as never)) as Env, { AUDIT_RETENTION: 86_400 });
    const stores = [AuditEntriesStore, ChainsStore, CheckpointsStore] as const;
    const [entries, chains, heads] = stores.map((store) => world.get(store as never)) as never as [
      AuditEntriesStore,
      ChainsStore,
      CheckpointsStore,
    ];
    const others = [
      world.get(PersonalIdentifiersStore),
      world.get(PendingRowsStore),
      heads,
      world.get(UnitOfWork),
    ] as const;
    const retention = new AuditRetentionService(entries, chains, ...others, env);
    // The process dies after the first entries are gone: they do not go without the entry that says so.
    const died = Object.assign(Object.create(entries) as AuditEntriesStore, {
      prune: async (...args: Parameters<AuditEntriesStore['prune']>) => {
        await entries.prune(...args);
        throw new Error('the process dies');
      },
    });
    const broken = new AuditRetentionService(died, chains, ...others, env);
    const asSystem = { requestId: 'test', actor: Actor.system('test') };
    await expect(runInRequestContext(asSystem, () => broken.prune())).rejects.toThrow('the process dies');
    expect(await verify()).toMatchObject({ removed_through: '0' });
    expect(await entriesOf('action=audit.pruned')).toEqual([]);
    await runInRequestContext(asSystem, () => retention.prune());
    const rest = await exported();
    expect(rest.split('\n')[0]).toContain(`"removed_through":"${checkpoints[0].sequence}"`);
    expect(await verifyFile(rest, { key: checkpoints[0].public_key, checkpoints })).toMatchObject({ status: 0 });
    expect(await verify()).toMatchObject({ valid: true, removed_through: checkpoints[0].sequence });
    const through = checkpoints[0].sequence as string;
    expect(await entriesOf('action=audit.pruned')).toMatchObject([{ metadata: { through, entries: Number(through) } }]);
    // A checkpoint of what the remaining entries begin with is compared, too.
    expect(await verify(`checkpoint=${through}:${checkpoints[0].hash}`)).toMatchObject({ valid: true });
    expect(await verify(`checkpoint=${through}:${'a'.repeat(64)}`)).toMatchObject({
      valid: false,
      first_invalid: { sequence: through },
    });
    const forged = [{ ...checkpoints[0], hash: 'a'.repeat(64) }];
    expect(await verifyFile(rest, { checkpoints: forged })).toMatchObject({
      status: 1,
      output: expect.stringContaining('is not the one of the checkpoint that you kept'),
    });
  });
});

describe('entries that are sent on', () => {
  it('come to a syslog collector in their order, at least once, also when it was away', async () => {
    const forwarder = world.get(AuditForwarder);
    const forward = async (): Promise<void> => {
      Object.assign(forwarder, { pausedUntil: 0 });
      await runInRequestContext({ requestId: 'test', actor: Actor.system('test') }, () =>
        forwarder.forward(new AbortController().signal),
      );
    };
    const named = (name: string) => (entry: Json) => entry.after?.name === name;
    const first = await newEnvironment();
    await entriesOf('');
    await until(async () => {
      await forward();
      return collector.entries.some(named(first.name));
    });
    await collector.stop();
    const second = await newEnvironment();
    await entriesOf('');
    await forward();
    expect(collector.entries.some(named(second.name))).toBe(false);
    await collector.listen();
    await until(async () => {
      await forward();
      return collector.entries.some(named(second.name));
    });
    const ofChain = collector.entries.filter(({ organization_id }) => organization_id === world.organization);
    const from = ofChain.findIndex(named(first.name));
    const numbers = [...new Set(ofChain.slice(from).map(({ sequence }) => BigInt(sequence as string)))];
    expect(numbers).toEqual([...numbers].sort((a, b) => (a < b ? -1 : 1)));
    expect(numbers.every((number, index) => index === 0 || number === numbers[index - 1]! + 1n)).toBe(true);
    expect(collector.heads[0]).toMatch(/^<1(08|10)>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ armature \d+ \S+ - \{/);
  });

  it('go over TLS to a collector whose certificate holds, and to no other', async () => {
    const [entry] = await world.get(AuditEntriesStore).readAfter(INSTALLATION_CHAIN, '0', 1);
    const { signal } = new AbortController();
    const restore = trust(AUTHORITY);
    const send = async (cert: string): Promise<string> => {
      const server = tls.createServer({ cert, key: CERTIFIED_KEY }).on('tlsClientError', () => undefined);
      let text = '';
      server.on('secureConnection', (socket) =>
        socket.on('error', () => undefined).on('data', (data) => (text += data)),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as net.AddressInfo;
      const sender = new SyslogStreamSender({ kind: 'syslog', transport: 'tls', host: '127.0.0.1', port });
      try {
        await sender.send([entry!, entry!], signal);
        return text;
      } finally {
        sender.close();
        server.close();
      }
    };
    try {
      const text = await send(CERTIFICATES.good);
      const length = Number(/^\d+/.exec(text)?.[0]);
      const first = text.slice(String(length).length + 1).slice(0, length);
      expect(first).toMatch(/^<1(08|10)>1 .* - \{.*\}$/);
      expect(text).toBe(`${length} ${first}`.repeat(2));
      await expect(send(CERTIFICATES.expired)).rejects.toThrow(/expired/);
      await expect(send(CERTIFICATES.otherName)).rejects.toThrow(/altnames/);
      restore();
      await expect(send(CERTIFICATES.good)).rejects.toThrow(/certificate/);
    } finally {
      restore();
    }
  });

  it('go over UDP and OTLP as well, and report when a collector refuses', async () => {
    const [entry] = await world.get(AuditEntriesStore).readAfter(INSTALLATION_CHAIN, '0', 1);
    const { signal } = new AbortController();
    const udp = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const target = { kind: 'syslog', transport: 'udp', host: '127.0.0.1', port: udp.address().port } as const;
    const sender = new SyslogDatagramSender(target);
    const [[datagram]] = await Promise.all([once(udp, 'message'), sender.send([entry!], signal)]);
    expect(String(datagram)).toContain(`"hash":"${entry!.hash}"`);
    sender.close();
    udp.close();
    const receiver = await Receiver.start();
    try {
      const { url } = parseForwardTarget(`otlp+${receiver.url}`) as { url: string };
      const otlp = new OtlpSender(url);
      receiver.answer = (response) => void response.writeHead(200).end('{}');
      await otlp.send([entry!], signal);
      const body = JSON.parse(receiver.at('/v1/logs')[0]!.body);
      expect(body.resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({ eventName: entry!.action });
      // More than one request may hold is sent in several, in its order.
      const long = (sequence: string): AuditEntry =>
        Object.assign(new AuditEntry(), entry, {
          sequence,
          details: JSON.stringify({ metadata: 'x'.repeat(3_000_000) }),
        });
      await otlp.send(['1', '2', '3'].map(long), signal);
      const sent = receiver.at('/v1/logs').slice(1);
      expect(sent.map(({ body: text }) => /"audit.sequence","value":{"stringValue":"(\d)"/.exec(text)?.[1])).toEqual([
        ...['1', '2', '3'],
      ]);
      const partialSuccess = { rejectedLogRecords: '1', errorMessage: 'too old' };
      receiver.answer = (response) => void response.writeHead(200).end(JSON.stringify({ partialSuccess }));
      expect(await otlp.send([entry!], signal)).toBe('1 records, too old');
      receiver.answer = (response) => void response.writeHead(503).end();
      await expect(otlp.send([entry!], signal)).rejects.toThrow('503');
      receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '7' }).end('x'.repeat(100_000));
      await expect(otlp.send([entry!], signal)).rejects.toMatchObject({ pauseMs: 7_000 });
    } finally {
      await receiver.stop();
    }
  });
});

/** A syslog collector over TCP that reads messages by their lengths. */
class Collector {
  readonly entries: Json[] = [];
  readonly heads: string[] = [];
  private server?: net.Server;
  private readonly sockets = new Set<net.Socket>();

  private constructor(readonly port: number) {}

  static async start(): Promise<Collector> {
    const collector = new Collector(await freePort());
    await collector.listen();
    return collector;
  }

  async listen(): Promise<void> {
    this.server = net.createServer((socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      let left: Buffer = Buffer.alloc(0);
      socket.on('data', (data: Buffer) => {
        left = this.read(Buffer.concat([left, data]));
      });
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
    if (!this.server?.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  private read(bytes: Buffer): Buffer {
    const space = bytes.indexOf(' ');
    const length = Number(bytes.subarray(0, space).toString());
    if (space < 0 || bytes.length < space + 1 + length) return bytes;
    const message = bytes.subarray(space + 1, space + 1 + length).toString();
    this.heads.push(message);
    this.entries.push(JSON.parse(message.slice(message.indexOf('{'))));
    return this.read(bytes.subarray(space + 1 + length));
  }
}

/** Entries through a number are as if they had been written two years ago; what was sealed is not changed by it. */
const OLDER = `UPDATE audit_entry SET created_at = created_at - interval '2 years' WHERE chain = $1 AND sequence <= $2`;

async function promoted(person: Person): Promise<Person> {
  await done(world.admin.put(`/api/identity/orgs/${world.organization}/users/${person.id}`, { role: 'admin' }));
  return person;
}

const columnsOf = async (table: string): Promise<string[]> =>
  (
    await world.sql<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0`,
      [table],
    )
  ).map(({ name }) => name);

/** The lines of an export with the chain made anew from one entry on: its hashes, and its heads signed with a key. */
function remake(lines: string[], from: number, key: KeyObject, publicKey: KeyObject): string {
  const keyId = fingerprintOf(publicKey);
  const parsed = lines.map((line) => JSON.parse(line));
  let hash = parsed.slice(0, from).findLast(({ type }) => type === 'entry')!.hash as string;
  for (const [index, line] of parsed.entries()) {
    if (line.type === 'entry' && index >= from) {
      const { hash: _, personal, personal_salt, details, details_salt, type, ...hashed } = line;
      const forged = { ...hashed, previous_hash: hash, ...(index === from ? { outcome: 'refused' } : {}) };
      hash = sha256(canonicalJson(forged));
      parsed[index] = { ...forged, hash, personal, personal_salt, details, details_salt, type };
    }
    if (line.type === 'checkpoint') {
      const head = {
        ...{ chain: line.chain, created_at: line.created_at, key_id: keyId, sequence: line.sequence },
        hash: index > from ? hash : line.hash,
      };
      const signature = sign(null, Buffer.from(canonicalJson(head)), key).toString('base64');
      parsed[index] = { ...line, ...head, signature };
    }
  }
  const [header] = parsed as [Json];
  header.head = { ...header.head, hash };
  header.keys = [{ id: keyId, public_key: publicKey.export({ type: 'spki', format: 'pem' }) }];
  return parsed.map((line) => JSON.stringify(line)).join('\n');
}

const fingerprintOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Runs the script on a text; with null without a file, or on a folder. */
async function verifyFile(
  text: string | Buffer | null,
  { key, checkpoints, folder: isFolder }: { key?: string; checkpoints?: Json[]; folder?: boolean } = {},
): Promise<{ status: number | null; output: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'audit-'));
  try {
    const put = (name: string, content: string | Buffer): string => {
      fs.writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const args = [
      ...(text === null ? [] : [isFolder ? folder : put('export.ndjson', text)]),
      ...(key ? ['--key', put('key.pem', key)] : []),
      ...(checkpoints ? ['--checkpoint', put('checkpoints.json', JSON.stringify(checkpoints))] : []),
    ];
    const script = fileURLToPath(new URL('../scripts/verify-audit.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
    const [output, errors] = [collect(child.stdout), collect(child.stderr)];
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, output: (await output) + (await errors) };
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Works with the password of the database. */
async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
