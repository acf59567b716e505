import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { isSet } from '../../core/schema/input-fields.js';
import { COMPONENT_SCHEMA } from '../../formats/design-file.js';
import { isObject, type JsonObject } from '../../formats/located.js';
import { PackageLoader } from '../packages/package-loader.js';
import { ModelsStore } from '../models/models.store.js';
import { RegistrantsStore } from '../registrants/registrants.store.js';
import type { ComponentsInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import type { RegistrationResult } from './outcome.js';
import { RegistrationsService } from './registrations.service.js';

const FIRST_VERSION = 'v1.0.0';
const FILE = 'components';

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
    const definitions = input.components.map((component) => ({
      ...inFull(component),
      model: modelIn(component, model),
    }));
    const bytes = Buffer.from(JSON.stringify(definitions));
    const { models, faults, failed } = await this.packages.load({ path: FILE, bytes });
    const placed = faults.map(({ file: _file, line: _line, column: _column, ...fault }) => ({
      ...fault,
      pointer: `/${FILE}${asSent(input.components, fault.pointer ?? '')}`,
    }));
    return this.registrations.take(
      actor,
      { contents: models, faults: placed, failed },
      { atomic: isSet(input.atomic, false) },
    );
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

/** The name and version in the body count; what else a component says of its model stays. */
const modelIn = ({ model }: JsonObject, named: JsonObject): JsonObject => ({
  ...(isObject(model) ? model : {}),
  ...named,
});

/** Where the short form of a component, as the interface shows it, has what the full one keeps under `component`. */
const SHORT: Record<string, string> = { kind: 'kind', version: 'apiVersion', schema: 'schema' };

const isShort = (component: JsonObject): boolean => component['component'] === undefined;

function inFull(component: JsonObject): JsonObject {
  const schemaVersion = component['schemaVersion'] ?? COMPONENT_SCHEMA;
  if (!isShort(component)) return { ...component, schemaVersion };
  const { kind, apiVersion, schema, ...rest } = component;
  const given = Object.entries({ kind, version: apiVersion, schema }).filter(([, value]) => value !== undefined);
  return { ...rest, schemaVersion, component: Object.fromEntries(given) as JsonObject };
}

function asSent(components: JsonObject[], pointer: string): string {
  const [, index = '', member, name = '', ...rest] = pointer.split('/');
  const sent = components[Number(index)];
  if (member !== 'component' || !sent || !isShort(sent)) return pointer;
  return ['', index, SHORT[name] ?? name, ...rest].filter((part, at) => at === 0 || part !== '').join('/');
}
