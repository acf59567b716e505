import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import type { Authenticator } from '../../core/access/authenticator.js';
import type { Env } from '../../core/config/env.js';
import { Forbidden } from '../../core/errors/app-error.js';
import type { EventNotification } from '../../core/events/event-notification.js';
import type { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { FIELD_MANAGER, OWNER_LABEL_PREFIX } from '../../kubernetes/clusters/owner-labels.js';
import type { DeploymentsService } from '../deployments.service.js';
import type { DesignSecretsService } from '../design-secrets.service.js';
import type { DeploymentContextService } from '../plans/deployment-context.service.js';
import { LogsService } from './logs.service.js';

const ID = '00000000-0000-4000-8000-000000000001';
const OWNER = { installation: 'i', design: 'd', environment: 'e', connection: 'c' };
const actorOf = (id: string, sessionId = 's'): Actor =>
  Actor.user({ id, email: `${id}@example.com`, installationAdmin: false, sessionId });

/** The logs of a pod with containers whose logs `read` returns. */
function sceneOf(containers: string[], read: (container: string) => Promise<Uint8Array>) {
  const labels = Object.fromEntries(Object.entries(OWNER).map(([part, id]) => [OWNER_LABEL_PREFIX + part, id]));
  const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: {} }];
  const pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', labels, managedFields } },
    spec: { containers: containers.map((name) => ({ name })) },
  };
  const clients: { limits: unknown; isClosed: boolean }[] = [];
  const found = {
    findKind: (_: string, kind: string) => Promise.resolve({ kind }),
    lookup: () => Promise.resolve(pod),
  };
  const context = {
    getClient: () => Promise.resolve(found),
    getOwner: () => Promise.resolve(OWNER),
    openClient: (_: string, limits: unknown) => {
      const opened = { limits, isClosed: false };
      clients.push(opened);
      return Promise.resolve({
        readLog: (_kind: unknown, _pod: unknown, { container }: { container: string }) => read(container),
        followLog: (_kind: unknown, _pod: unknown, { signal }: { signal: AbortSignal }) =>
          Promise.resolve(
            // eslint-disable-next-line require-yield -- the container writes nothing
            (async function* (): AsyncGenerator<Uint8Array> {
              await new Promise((resolve) => signal.addEventListener('abort', resolve));
            })(),
          ),
        close: () => Promise.resolve(void (opened.isClosed = true)),
      });
    },
  };
  const deployment = {
    ...{ id: ID, designId: 'd', designVersion: 1, organizationId: 'o', renderings: {} },
    resources: [{ api_version: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', connection_id: 'c' }],
  };
  const rights = { isGone: false, checks: 0 };
  const deployments = {
    get: () => Promise.resolve(deployment),
    authorize: () => {
      rights.checks++;
      return rights.isGone ? Promise.reject(new Forbidden('no more', { remedy: 'Ask.' })) : Promise.resolve();
    },
  };
  const hideInMessage = (text: string): string => text.replaceAll('abc', '(hidden)');
  const secrets = { readWithLive: () => Promise.resolve({ hideInMessage }) };
  const revoked = new EventEmitter();
  const authenticator = {
    authenticate: () => Promise.resolve(),
    onRevoked: (listener: (one: object) => void) => {
      revoked.on('revoked', listener);
      return () => revoked.off('revoked', listener);
    },
  };
  let notify: (notice: EventNotification) => void = () => undefined;
  const pubsub = {
    subscribe: (_: string, receive: typeof notify) => Promise.resolve(void (notify = receive)),
    onMissed: () => () => undefined,
  };
  const service = new LogsService(
    deployments as unknown as DeploymentsService,
    context as unknown as DeploymentContextService,
    secrets as unknown as DesignSecretsService,
    authenticator as unknown as Authenticator,
    pubsub as unknown as PostgresPubSub,
    { LIMIT_SOCKETS_PER_USER: 2 } as Env,
  );
  const announce = (organizationId: string, category: string, action: string): void =>
    notify({ organizationId, sequence: '1', actedUpon: ID, category, action });
  return { service, clients, rights, announce, revoke: (one: object) => revoked.emit('revoked', one) };
}

/** A response that keeps what is written. */
class KeptResponse extends EventEmitter {
  text = '';
  destroyed = false;
  writableNeedDrain = false;

  writeHead(): void {
    // The headers are not looked at.
  }

  flushHeaders(): void {
    // There is no buffer.
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  end(text = ''): void {
    this.text += text;
    this.emit('close');
  }
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('The logs of a deployment', () => {
  it.each<[what: string, containers: string[], text: string]>([
    ['empty lines', ['app', 'sidecar'], '\n'.repeat(1_000_000)],
    ['hidden values', ['app'], 'abc\n'.repeat(300_000)],
    ['lines with a long prefix', ['a'.repeat(63), 'sidecar'], 'x\n'.repeat(500_000)],
    ['bytes that are no text', ['app'], Buffer.alloc(1_000_000, 0xff).toString('latin1')],
  ])('are at most 1 MB as they are sent: %s', async (_, containers, text) => {
    const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
    const { service } = sceneOf(containers, () => Promise.resolve(bytes));
    const sent = await service.read(actorOf('a'), ID, {});
    const notes = sent.split('\n').filter((line) => line.startsWith('# '));
    expect(notes).toEqual(
      containers.map((name) => `# web/${name}: the rest is cut off; ask with since or tail for the last lines`),
    );
    expect(Buffer.byteLength(sent)).toBeLessThan(1_000_500);
    expect(Buffer.byteLength(sent)).toBeGreaterThan(950_000);
  });

  it('have a long line in pieces of 16 kB, and all lines of many', async () => {
    const line = 'x'.repeat(16_384);
    const { service } = sceneOf(['app'], () => Promise.resolve(bytesOf(`${line}${line}abc\n\n${line}\nend`)));
    expect(await service.read(actorOf('a'), ID, {})).toBe(`${line}\n${line}\n(hidden)\n\n${line}\nend\n`);
    const many = sceneOf(['app'], () => Promise.resolve(bytesOf('\n'.repeat(999_999))));
    expect(await many.service.read(actorOf('a'), ID, {})).toBe('\n'.repeat(999_999));
  });

  it('that begin with # are logs, too, where another container fails', async () => {
    const { service } = sceneOf(['app', 'sidecar'], (container) =>
      container === 'app'
        ? Promise.resolve(bytesOf('# started\n'))
        : Promise.reject(new ClusterError('failed', 'abc is away')),
    );
    expect(await service.read(actorOf('a'), ID, {})).toBe('[web/app] # started\n# web/sidecar: (hidden) is away\n');
  });

  it('are read through a client of their own, a few at a time for one user', async () => {
    let release: (bytes: Uint8Array) => void = () => undefined;
    const node = new Promise<Uint8Array>((resolve) => (release = resolve));
    const { service, clients } = sceneOf(['app'], () => node);
    const reads = Array.from({ length: 4 }, () => service.read(actorOf('a'), ID, {}));
    await expect(service.read(actorOf('a'), ID, {})).rejects.toMatchObject({ status: 429, code: 'TOO_BUSY' });
    const other = service.read(actorOf('b'), ID, {});
    release(bytesOf('on\n'));
    expect(await Promise.all([...reads, other])).toEqual(Array(5).fill('on\n'));
    expect(clients).toEqual(Array(5).fill({ limits: { connections: 1 }, isClosed: true }));
    expect(await service.read(actorOf('a'), ID, {})).toBe('on\n');
  });

  describe('as a stream', () => {
    async function follow(scene: ReturnType<typeof sceneOf>, actor: Actor) {
      await scene.service.onModuleInit();
      const response = new KeptResponse();
      const ended = scene.service.follow(actor, ID, {}, { method: 'GET' } as Request, response as unknown as Response);
      await pause(50);
      return { response, ended };
    }
    const END = 'event: end\ndata: {"reason":"rights_changed"}\n\n';
    const quiet = () => sceneOf(['app'], () => Promise.reject(new Error('is not read')));

    it.each([
      ['the token', { userId: 'a', sessionId: 's' }],
      ['all tokens of the user', { userId: 'a', sessionId: null }],
    ])('end at once when %s is revoked', async (_, revoked) => {
      const scene = quiet();
      const { response, ended } = await follow(scene, actorOf('a'));
      scene.revoke({ userId: 'b', sessionId: null });
      scene.revoke({ userId: 'a', sessionId: 'other' });
      await pause(20);
      expect(response.text).toBe('');
      scene.revoke(revoked);
      await ended;
      expect(response.text).toBe(END);
      expect(scene.clients).toEqual([{ limits: { connections: 20 }, isClosed: true }]);
    });

    it.each([
      ['a role', 'workspace', 'environment_unassigned'],
      ['who reads the logs of an environment', 'environment', 'updated'],
    ])('end soon after a change of %s that takes the right away', async (_, category, action) => {
      const scene = quiet();
      const { response, ended } = await follow(scene, actorOf('a'));
      for (let time = 0; time < 5; time++) scene.announce('o', category, action);
      await pause(400);
      expect([response.text, scene.rights.checks]).toEqual(['', 1]);
      scene.rights.isGone = true;
      scene.announce('another', category, action);
      scene.announce('o', 'design', 'updated');
      await pause(400);
      expect([response.text, scene.rights.checks]).toEqual(['', 1]);
      scene.announce('o', category, action);
      await ended;
      expect(response.text).toBe(END);
    });
  });
});
