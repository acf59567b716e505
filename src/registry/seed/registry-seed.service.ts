import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { DefinitionRegistrar } from '../registration/definition-registrar.service.js';
import { loadKubernetesRelationships } from './kubernetes-relationships.js';
import { loadKubernetesSeed, readKubernetesSeed } from './kubernetes-seed.js';

/** Registers the Kubernetes model on a new server. It runs once for each version of the seed: later deletions are kept. */
@Injectable()
export class RegistrySeedService implements OnApplicationBootstrap {
  constructor(
    private readonly registration: DefinitionRegistrar,
    private readonly unit: UnitOfWork,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const relationships = loadKubernetesRelationships();
    const digest = createHash('sha256')
      .update(await readKubernetesSeed())
      .update(JSON.stringify(relationships));
    const seed = digest.digest('hex');
    if ((await this.readAppliedSeed()) === seed) return;
    const content = await loadKubernetesSeed();
    await this.unit.run(async () => {
      // Of replicas that start together one registers the seed.
      await this.unit.manager.query('SELECT FROM registry_revision FOR UPDATE');
      if ((await this.readAppliedSeed()) === seed) return;
      await this.registration.register(Actor.system('first start'), [{ ...content, relationships }]);
      await this.unit.manager.query('UPDATE registry_revision SET seed = $1', [seed]);
    });
  }

  private async readAppliedSeed(): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ seed: string | null }[]>('SELECT seed FROM registry_revision');
    return row?.seed ?? null;
  }
}
