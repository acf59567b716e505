import { PoolExhausted } from '../core/errors/database-outage.js';
import type { UnitOfWork } from '../core/database/unit-of-work.js';
import type { DesignContentsStore } from '../designs/contents/design-contents.store.js';
import type { DesignsStore } from '../designs/designs.store.js';
import type { SealedValuesService } from '../designs/sealed-values.service.js';
import { ClusterError } from '../kubernetes/clusters/cluster-error.js';
import type { DeployedDesign, DeployedDesignsStore } from './deployed-designs.store.js';
import { DesignSecretsService } from './design-secrets.service.js';
import { DesignSecrets } from './plan/design-secrets.js';

/** Designs that are deployed on clusters, as `design cluster version earlier…`. The Secret of a version has the value `canary-DESIGN-VERSION`. */
function serviceFor(...places: string[]): { service: DesignSecretsService; reads: string[] } {
  const rows = places.map((place) => {
    const [designId, connectionId, ...versions] = place.split(' ');
    const [designVersion, ...earlierVersions] = versions.map(Number);
    return { designId, connectionId, designVersion, earlierVersions } as DeployedDesign;
  });
  const reads: string[] = [];
  const deployed = { findByDesigns: (ids: string[]) => rows.filter(({ designId }) => ids.includes(designId)) };
  const designs = { find: (_: unknown, id: string) => ({ id }) };
  const contents = {
    readResources: ({ id }: { id: string }, version: number) => {
      reads.push(`${id} ${version}`);
      if (id === 'lost') throw new Error('the key is unknown');
      if (id === 'away') throw new PoolExhausted();
      const stringData = { a: `canary-${id}-${version}` };
      return [{ object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData } }];
    },
  };
  const data = { password: Buffer.from('canary-sealed').toString('base64') };
  const sealed = { open: (id: string) => Promise.resolve(id === 'read' ? { secrets: { keys: data } } : null) };
  const unit = { runAsSystem: (_: string, work: () => unknown) => work() };
  const service = new DesignSecretsService(
    deployed as unknown as DeployedDesignsStore,
    designs as unknown as DesignsStore,
    contents as unknown as DesignContentsStore,
    sealed as unknown as SealedValuesService,
    unit as unknown as UnitOfWork,
  );
  return { service, reads };
}

describe('The secrets of deployed designs', () => {
  it('are hidden as those of all versions that may have objects at a place', async () => {
    const { service } = serviceFor('a here 3 1 2', 'a there 4');
    const message = 'canary-a-1 canary-a-2 canary-a-3 canary-a-4';
    const said = (connectionId: string, designId: string | null = 'a') => ({ designId, connectionId, message });
    expect(await service.hideInMessages([said('here'), said('there'), said('nowhere'), said('here', null)])).toEqual([
      '(hidden) (hidden) (hidden) canary-a-4',
      'canary-a-1 canary-a-2 canary-a-3 (hidden)',
      message,
      message,
    ]);
  });

  it('are hidden where the design has placeholders for them', async () => {
    const { service } = serviceFor('read here 1');
    const message = `canary-sealed ${Buffer.from('canary-sealed').toString('base64')}`;
    expect(await service.hideInMessages([{ designId: 'read', connectionId: 'here', message }])).toEqual([
      '(hidden) (hidden)',
    ]);
  });

  it('are hidden in the error of a cluster as well as those of the objects that it was sent', async () => {
    const { service } = serviceFor('a here 1');
    const object = { kind: 'Secret', metadata: { name: 'new' }, stringData: { a: 'canary-new' } };
    const error = new ClusterError('throttled', 'refused canary-a-1 and canary-new', { answered: 429 });
    const shown = await service.hideInError(error, { designId: 'a', connectionId: 'here' }, [object]);
    expect(shown).toBeInstanceOf(ClusterError);
    expect(shown).toMatchObject({ kind: 'throttled', answered: 429, message: 'refused (hidden) and (hidden)' });
    expect((shown as Error).stack).not.toContain('canary');
  });

  it('are read once for a version, and up to 50 for one response, while those that are known count for nothing', async () => {
    const places = Array.from({ length: 60 }, (_, index) => `d${index} here 1`);
    const { service, reads } = serviceFor(...places, 'd0 there 1');
    const said = [...places, 'd0 there 1'].map((place) => {
      const [designId = '', connectionId = ''] = place.split(' ');
      return { designId, connectionId, message: 'all is well' };
    });
    const first = await service.hideInMessages(said);
    expect(first.map((text) => text === 'all is well')).toEqual(said.map((_, index) => index < 50 || index === 60));
    expect(await service.hideInMessages(said)).toEqual(said.map(({ message }) => message));
    expect(reads.length).toBe(60);
    expect(new Set(reads).size).toBe(60);
  });

  it('that cannot be read hide everything, but for an outage of the database', async () => {
    const { service } = serviceFor('lost here 1', 'away here 1');
    const said = (designId: string) => ({ designId, connectionId: 'here', message: 'whatever it is' });
    expect(await service.hideInMessages([said('lost')])).toEqual(['(hidden)']);
    await expect(service.hideInMessages([said('away')])).rejects.toBeInstanceOf(PoolExhausted);
  });

  it('leave nothing but names of an object when they are not read', async () => {
    const places = Array.from({ length: 51 }, (_, index) => `d${index} here 1`);
    const { service } = serviceFor(...places);
    const hidings = await service.findAll(places.map((_, index) => ({ designId: `d${index}`, connectionId: 'here' })));
    const metadata = { name: 'a', namespace: 'b' };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels: { a: 'b' } }, spec: { a: 'b' } };
    expect(hidings[0]?.hideInObject(object)).toEqual(object);
    expect(hidings[50]?.hideInObject(object)).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata });
  });

  it('are looked for in equal messages once', async () => {
    const places = Array.from({ length: 40 }, (_, index) => `a c${index} 1`);
    const { service } = serviceFor(...places);
    const said = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ designId: 'a', connectionId: `c${index % 40}`, message: `refused canary-a-1 ${index % 10}` },
    }));
    const searches = jest.spyOn(DesignSecrets.prototype, 'hideInMessage');
    expect(new Set(await service.hideInMessages(said)).size).toBe(10);
    expect(searches).toHaveBeenCalledTimes(10);
  });

  it('are kept with those on the cluster until one of them changes', async () => {
    const { service, reads } = serviceFor('a here 1');
    const live = (resourceVersion: string, value: string) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', uid: 'u', resourceVersion } },
      data: { a: Buffer.from(value).toString('base64') },
    });
    const message = 'canary-a-1 canary-live canary-next';
    const first = await service.readWithLive('a', 1, [live('1', 'canary-live')]);
    expect(first.hideInMessage(message)).toBe('(hidden) (hidden) canary-next');
    expect(await service.readWithLive('a', 1, [live('1', 'canary-live')])).toBe(first);
    expect(reads.length).toBe(1);
    const next = await service.readWithLive('a', 1, [live('2', 'canary-next')]);
    expect(next.hideInMessage(message)).toBe('(hidden) canary-live (hidden)');
  });

  it('are kept as long as they take little memory', async () => {
    const { service, reads } = serviceFor('a here 1');
    const value = (index: number): string =>
      Array.from({ length: 9_000 }, (_, line) => `${index}-${line}-line`).join('\n');
    const live = (index: number) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', uid: `${index}`, resourceVersion: '1' } },
      data: { a: Buffer.from(value(index)).toString('base64') },
    });
    const sizes: number[] = [];
    for (let index = 0; index < 8; index++) sizes.push((await service.readWithLive('a', 1, [live(index)])).size);
    expect(Math.max(...sizes)).toBeGreaterThan(7_000_000);
    expect(Math.max(...sizes)).toBeLessThan(25_000_000);
    await service.readWithLive('a', 1, [live(7)]);
    expect(reads.length).toBe(8);
    await service.readWithLive('a', 1, [live(0)]);
    expect(reads.length).toBe(9);
  });
});
