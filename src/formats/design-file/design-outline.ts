import { isDeployed, toResource } from './design-component.js';
import { type DesignComponent } from './design-file.js';
import { findRepeatedResources } from './repeated-resources.js';
import { isObject, asObject, asText } from '../../core/json/json.js';
import { TimeSlicer } from '../../core/time-slicer.js';

/** One kind of the components of a design. */
export interface OutlinedKind {
  kind: string;
  apiVersion: string;
  /** Whether deploying the design applies these components to a cluster. */
  deployable: boolean;
  /** Whether the design itself defines the kind. */
  isDefinedInDesign: boolean;
  /** The name of the first of these components. */
  firstComponent: string;
}

export interface OutlineData {
  components: number;
  /** The first component that represents the same resource as an earlier one: its kind and name. */
  repeated?: string;
  /** The first item of a list that has the key of another item, by the schemas of the registry; absent until they were asked. */
  repeatedItem?: string | null;
  /** Each kind once, in the order of the design: JSON texts of a list of some OutlinedKinds each, because a hostile design has very many. */
  kinds: string[];
}

const KINDS_PER_BATCH = 500;

/** Facts about the components of a design that are known without loading them. */
export class DesignOutline {
  constructor(private readonly data: OutlineData) {}

  /** The number of components. */
  get components(): number {
    return this.data.components;
  }

  /** The first component that represents the same resource as an earlier one: its kind and name. */
  get repeated(): string | undefined {
    return this.data.repeated;
  }

  /** The first item of a list that has the key of another item; undefined until the schemas of the registry were asked. */
  get repeatedItem(): string | null | undefined {
    return this.data.repeatedItem;
  }

  /** The kinds, in batches, in the order of their first component. */
  async *iterateKinds(): AsyncGenerator<OutlinedKind[]> {
    const turns = new TimeSlicer();
    for (const kinds of this.data.kinds) {
      yield JSON.parse(kinds) as OutlinedKind[];
      await turns.yieldToEventLoop();
    }
  }

  /** The first matching kind. */
  async findKind(isMeant: (kind: OutlinedKind) => boolean): Promise<OutlinedKind | undefined> {
    for await (const kinds of this.iterateKinds()) {
      const found = kinds.find(isMeant);
      if (found) return found;
    }
    return undefined;
  }
}

export function buildOutline(components: readonly DesignComponent[]): OutlineData {
  const brought = new Set(components.filter(isDeployed).flatMap(getDefinedKind));
  const found = new Map<string, OutlinedKind>();
  for (const component of components) {
    const { kind, version: apiVersion } = component.component;
    const deployable = isDeployed(component);
    const key = JSON.stringify([kind, apiVersion, deployable]);
    if (found.has(key)) continue;
    const first = component.displayName || component.id;
    found.set(key, {
      kind,
      apiVersion,
      deployable,
      isDefinedInDesign: brought.has(`${kind} ${getGroup(apiVersion)}`),
      firstComponent: first,
    });
  }
  const all = [...found.values()];
  const kinds = Array.from({ length: Math.ceil(all.length / KINDS_PER_BATCH) }, (_, index) =>
    JSON.stringify(all.slice(index * KINDS_PER_BATCH, (index + 1) * KINDS_PER_BATCH)),
  );
  const [repeated] = findRepeatedResources(components);
  return { components: components.length, kinds, ...(repeated && { repeated: describeResource(repeated.component) }) };
}

const describeResource = (component: DesignComponent): string =>
  `${component.component.kind} ${asText(asObject(toResource(component)['metadata'])['name'])}`;

const getGroup = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The kind and group that a CustomResourceDefinition defines. */
function getDefinedKind({ component, configuration }: DesignComponent): string[] {
  const spec = asObject(configuration['spec']);
  if (component.kind !== 'CustomResourceDefinition' || !isObject(spec['names'])) return [];
  return [`${asText(spec['names']['kind'])} ${asText(spec['group'])}`];
}
