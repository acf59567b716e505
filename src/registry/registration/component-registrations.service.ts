import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { isSet } from '../../core/schema/input-fields.js';
import { jsonBytes } from '../../core/schema/packed-json.js';
import type { JsonObject } from '../../formats/located.js';
import { PackageLoader } from '../packages/package-loader.js';
import { ModelsStore } from '../models/models.store.js';
import { RegistrantsStore } from '../registrants/registrants.store.js';
import type { ComponentsInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import { readComponentsTask } from './components-task.js';
import type { RegistrationResult } from './outcome.js';
import { RegistrationsService } from './registrations.service.js';

const FIRST_VERSION = 'v1.0.0';

/** Registers components that come without a package, for a model that is named beside them. */
@Injectable()
export class ComponentRegistrations {
  constructor(
    private readonly models: ModelsStore,
    private readonly registrants: RegistrantsStore,
    private readonly packages: PackageLoader,
    private readonly registrations: RegistrationsService,
  ) {}

  /** @throws InvalidRequest with pointers into the body when nothing can be taken, or not all and that was asked for */
  async register(actor: Actor, input: ComponentsInput): Promise<RegistrationResult> {
    requireRegistryWriter(actor, registryPolicy.register);
    const model = await this.modelOf(input);
    const { models, faults, failed } = await this.packages.read(readComponentsTask, {
      components: jsonBytes(input.components),
      model,
    });
    return this.registrations.take(actor, { contents: models, faults, failed }, { atomic: isSet(input.atomic, false) });
  }

  /** The model that is known under this name, of its highest version unless another is given; else a new one of ours. */
  private async modelOf({ modelName, version }: ComponentsInput): Promise<JsonObject> {
    const [known] = await this.models.named(modelName, version ? { version } : {});
    const registrant = known && (await this.registrants.findAll([known.registrantId])).get(known.registrantId);
    return {
      name: modelName,
      displayName: known?.displayName ?? modelName,
      version: known?.version ?? version ?? FIRST_VERSION,
      model: { version: known?.version ?? version ?? FIRST_VERSION },
      ...(known ? { category: { name: known.category } } : {}),
      ...(registrant ? { registrant: { kind: registrant.kind, hostname: registrant.hostname } } : {}),
    };
  }
}
