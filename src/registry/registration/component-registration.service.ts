import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { parseFlag } from '../../core/schema/input-fields.js';
import { toJsonBytes } from '../../core/json/packed-json.js';
import type { JsonObject } from '../../core/json/json.js';
import { PackageLoader } from '../packages/package-loader.js';
import { ModelsStore } from '../models/models.store.js';
import { RegistrantsStore } from '../registrants/registrants.store.js';
import type { ComponentsInput } from '../entities/registry.inputs.js';
import { assertRegistryWriter, registryPolicy } from '../entities/registry.policy.js';
import { readComponentsTask } from './components-task.js';
import type { RegistrationResult } from './registration-result.js';
import { PackageRegistrationService } from './package-registration.service.js';

const DEFAULT_VERSION = 'v1.0.0';

/** Registers components without a package, for a model that the request names. */
@Injectable()
export class ComponentRegistrationService {
  constructor(
    private readonly models: ModelsStore,
    private readonly registrants: RegistrantsStore,
    private readonly packages: PackageLoader,
    private readonly registrations: PackageRegistrationService,
  ) {}

  /** @throws InvalidRequest with pointers into the body when nothing is valid, or not everything and that was required */
  async register(actor: Actor, input: ComponentsInput): Promise<RegistrationResult> {
    assertRegistryWriter(actor, registryPolicy.register);
    const model = await this.resolveModel(input);
    const { models, faults, failed } = await this.packages.read(readComponentsTask, {
      components: toJsonBytes(input.components),
      model,
    });
    return this.registrations.registerDefinitions(
      actor,
      { contents: models, faults, failed },
      { atomic: parseFlag(input.atomic, false) },
    );
  }

  /** The model with this name, of its highest version unless given; else a new one of this server. */
  private async resolveModel({ modelName, version }: ComponentsInput): Promise<JsonObject> {
    const [known] = await this.models.findByName(modelName, version ? { version } : {});
    const registrant = known && (await this.registrants.findAll([known.registrantId])).get(known.registrantId);
    return {
      name: modelName,
      displayName: known?.displayName ?? modelName,
      version: known?.version ?? version ?? DEFAULT_VERSION,
      model: { version: known?.version ?? version ?? DEFAULT_VERSION },
      ...(known ? { category: { name: known.category } } : {}),
      ...(registrant ? { registrant: { kind: registrant.kind, hostname: registrant.hostname } } : {}),
    };
  }
}
