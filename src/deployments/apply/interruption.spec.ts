import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import {
  configMap,
  DeploymentScene,
  MemoryJournal,
  outcomes,
  type SceneResult,
} from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { type AppliedChange } from './applied-change.js';

class Killed extends Error {}

/** The journal of a process that was killed: keeps what was recorded, loses what was in memory. */
class DurableJournal extends MemoryJournal {
  private writes = 0;
  private isDead = false;

  /** @param dieAt the number of the record, from 1, after which the process is killed */
  constructor(private dieAt = 0) {
    super();
  }

  override async record(changes: AppliedChange[]): Promise<void> {
    if (this.isDead) throw new Killed();
    await super.record(changes);
    this.isDead = changes.length > 0 && ++this.writes === this.dieAt;
    if (this.isDead) throw new Killed();
  }

  reopened(): DurableJournal {
    return Object.assign(new DurableJournal(), {
      changes: JSON.parse(JSON.stringify(this.changes)) as AppliedChange[],
    });
  }
}

requires('KUBEBUILDER_ASSETS', 'A run whose process is killed', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);

  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
    await scene.deploy(before);
    await scene.others(configMap('updated', { theirs: '1' }));
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await scene.close();
  });

  const secret = (name: string, value: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { value },
  });
  const before = [configMap('same'), configMap('updated', { a: '1', b: '1' }), secret('pruned', 'precious')];
  const wanted = [configMap('same'), configMap('updated', { a: '2' }), configMap('created'), secret('more', 'x')];
  const names = ['same', 'updated', 'created'];

  /** The contents of all objects of the test, by name. */
  const state = async (): Promise<unknown[]> => [
    ...(await Promise.all(names.map(async (name) => (await scene.live('v1', 'ConfigMap', name))?.data))),
    ...(await Promise.all(['pruned', 'more'].map(async (name) => (await scene.live('v1', 'Secret', name))?.data))),
  ];
  const OLD = [{ a: '1' }, { a: '1', b: '1', theirs: '1' }, undefined, { value: 'cHJlY2lvdXM=' }, undefined];
  const NEW = [{ a: '1' }, { a: '2', theirs: '1' }, { a: '1' }, undefined, { value: 'eA==' }];

  /** Kills the process right after the cluster has executed its n-th write. */
  const dieAfterWrite = (dieAt: number): void => {
    const { client } = scene;
    let writes = 0;
    const counted = <A extends unknown[], R>(write: (...args: A) => Promise<R>, isDry: (...args: A) => boolean) => {
      return async (...args: A): Promise<R> => {
        // Concurrent work of the process is killed too.
        if (writes >= dieAt) throw new Killed();
        const answer = await write(...args);
        if (!isDry(...args) && ++writes >= dieAt) throw new Killed();
        return answer;
      };
    };
    const [apply, remove] = [client.apply.bind(client), client.delete.bind(client)];
    jest.spyOn(client, 'apply').mockImplementation(counted(apply, (_kind, _object, { dryRun }) => dryRun === true));
    jest
      .spyOn(client, 'delete')
      .mockImplementation(counted(remove, (_kind, _name, _namespace, options) => options?.dryRun === true));
  };

  /** Runs until the process is killed. @returns its journal, or undefined when it completed */
  const killed = async (moment: 'before' | 'after', dieAt: number): Promise<DurableJournal | undefined> => {
    const journal = new DurableJournal(moment === 'before' ? dieAt : 0);
    if (moment === 'after') dieAfterWrite(dieAt);
    const end = await scene.apply(await scene.plan(wanted), {}, journal).catch((error: unknown) => {
      if (error instanceof Killed) return 'killed';
      throw error;
    });
    jest.restoreAllMocks();
    return end === 'killed' ? journal.reopened() : undefined;
  };

  /** What is created and updated is recorded in one write, what is pruned in another. */
  const MOMENTS = [
    ...[1, 2].map((at) => ({ moment: 'before' as const, at })),
    ...[1, 2, 3, 4].map((at) => ({ moment: 'after' as const, at })),
  ];

  it.each(MOMENTS)(
    '$moment write $at is completed by another replica, which reports everything',
    async ({ moment, at }) => {
      const journal = await killed(moment, at);
      if (!journal) throw new Error('it was not killed');
      const result = await scene.apply(await scene.plan(wanted), {}, journal);
      expect(await state()).toEqual(NEW);
      expect(result.status).toBe('succeeded');
      expect(actions(result)).toEqual([
        'created: create applied',
        'more: create applied',
        'pruned: prune deleted',
        'same: unchanged unchanged',
        'updated: update applied',
      ]);
      await scene.undo({ status: 'failed', resources: [] }, journal);
      expect(await state()).toEqual(OLD);
    },
  );

  it.each(MOMENTS)('$moment write $at is undone by another replica', async ({ moment, at }) => {
    const journal = await killed(moment, at);
    if (!journal) throw new Error('it was not killed');
    const undone = await scene.undo({ status: 'failed', resources: [] }, journal);
    expect(await state()).toEqual(OLD);
    expect(undone.status).toBe('rolled_back');
    // Other changes of the same kind were in progress.
    expect(undone.resources.length).toBeGreaterThanOrEqual(at);
    expect(outcomes(await scene.deploy(before)).filter((outcome) => !outcome.endsWith('unchanged'))).toEqual([]);
  });

  it('is undone although the undo is interrupted as well', async () => {
    const journal = await killed('after', 4);
    if (!journal) throw new Error('it was not killed');
    for (const at of [1, 2, 2]) {
      dieAfterWrite(at);
      await expect(scene.undo({ status: 'failed', resources: [] }, journal)).rejects.toThrow(Killed);
      jest.restoreAllMocks();
    }
    expect((await scene.undo({ status: 'failed', resources: [] }, journal)).status).toBe('rolled_back');
    expect(await state()).toEqual(OLD);
  });

  it('releases what it adopted, or had only recorded', async () => {
    await scene.others(configMap('theirs', { a: 'theirs' }));
    const plan = await scene.plan([...before, configMap('theirs', { a: 'ours', c: 'ours' })], {
      adopt: true,
      force: true,
    });
    for (const moment of ['before', 'after'] as const) {
      const journal = new DurableJournal(moment === 'before' ? 1 : 0);
      if (moment === 'after') dieAfterWrite(1);
      await expect(scene.apply(plan, {}, journal)).rejects.toThrow(Killed);
      jest.restoreAllMocks();
      for (const _ of ['once', 'twice']) await scene.undo({ status: 'failed', resources: [] }, journal.reopened());
      const live = await scene.live('v1', 'ConfigMap', 'theirs');
      expect(live?.data).toEqual({ a: 'theirs' });
      expect(live?.metadata.managedFields?.map(({ manager }) => manager)).not.toContain('armature');
    }
  });

  it('leaves what others have changed or made since as it is, where it had only recorded its changes', async () => {
    await scene.others(configMap('adopted', { a: 'theirs' }));
    await scene.others(configMap('left', { a: 'theirs' }));
    const adopted = ['adopted', 'left'].map((name) => configMap(name, { a: 'ours', c: 'ours' }));
    const plan = await scene.plan([...wanted, ...adopted], { adopt: true, force: true });
    const journal = new DurableJournal(1);
    await expect(scene.apply(plan, {}, journal)).rejects.toThrow(Killed);
    const changed = {
      adopted: { a: 'changed', b: 'new' },
      updated: { a: 'changed', b: '1', theirs: '1' },
      created: { made: 'since' },
    };
    for (const [name, data] of Object.entries(changed)) await scene.others(configMap(name, data), 'somebody');
    const undone = await scene.undo({ status: 'failed', resources: [] }, journal.reopened());
    for (const [name, data] of Object.entries({ ...changed, left: { a: 'theirs' } }))
      expect((await scene.live('v1', 'ConfigMap', name))?.data).toEqual(data);
    expect(undone.status).toBe('rolled_back');
    expect(
      outcomes(undone)
        .filter((outcome) => !outcome.startsWith('Secret/'))
        .sort(),
    ).toEqual(['adopted', 'created', 'left', 'updated'].map((name) => `ConfigMap/${name}: skipped`));
  });

  it('records anew what it had only recorded, so that it rolls back to what others have changed since', async () => {
    const objects = [...before, configMap('adopted', { a: 'ours', c: 'ours' })];
    await scene.others(configMap('adopted', { a: 'theirs' }));
    const options = { adopt: true, force: true };
    const journal = new DurableJournal(1);
    await expect(scene.apply(await scene.plan(objects, options), {}, journal)).rejects.toThrow(Killed);
    await scene.others(configMap('adopted', { a: 'changed' }));
    const resumed = journal.reopened();
    expect((await scene.apply(await scene.plan(objects, options), {}, resumed)).status).toBe('succeeded');
    expect((await scene.live('v1', 'ConfigMap', 'adopted'))?.data).toEqual({ a: 'ours', c: 'ours' });
    await scene.undo({ status: 'failed', resources: [] }, resumed);
    expect((await scene.live('v1', 'ConfigMap', 'adopted'))?.data).toEqual({ a: 'changed' });
  });

  it('completes an undeployment in another replica, which reports everything', async () => {
    const journal = new DurableJournal();
    dieAfterWrite(2);
    await expect(scene.undeploy({}, journal)).rejects.toThrow(Killed);
    jest.restoreAllMocks();
    const result = await scene.undeploy({}, journal.reopened());
    expect(result.status).toBe('undeployed');
    expect(actions(result)).toEqual(['pruned: delete deleted', 'same: delete deleted', 'updated: delete deleted']);
    expect(await state()).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

function actions({ resources }: Pick<SceneResult, 'resources'>): string[] {
  return resources.map(({ name, action, status }) => `${name}: ${action} ${status}`).sort();
}
