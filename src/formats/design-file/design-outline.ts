import { isDeployed } from './design-component.js';
import { type DesignComponent } from './design-file.js';
import { isObject, asObject, asText } from '../../core/json/json.js';
import { TimeSlicer } from '../../core/time-slicer.js';

/** One kind of the components of a design. */
export interface OutlinedKind {
  kind: string;
  apiVersion: string;
  /** Whether deploying the design puts these components on a cluster. */
  deployable: boolean;
  /** Whether a definition in the design itself brings the kind along. */
  isDefinedInDesign: boolean;
  /** What the first of these components is called. */
  firstComponent: string;
}

export interface OutlineData {
  components: number;
  /** Each kind once, in the order of the design: JSON texts of a list of some OutlinedKinds each, for a hostile design has very many. */
  kinds: string[];
}

const KINDS_PER_BATCH = 500;

/** What is asked of the components of a design without having them. */
export class DesignOutline {
  constructor(private readonly data: OutlineData) {}

  /** How many components there are. */
  get components(): number {
    return this.data.components;
  }

  /** The kinds, some at a time, in the order in which they first come. */
  async *iterateKinds(): AsyncGenerator<OutlinedKind[]> {
    const turns = new TimeSlicer();
    for (const kinds of this.data.kinds) {
      yield JSON.parse(kinds) as OutlinedKind[];
      await turns.yieldToEventLoop();
    }
  }

  /** The first kind that is meant. */
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
  return { components: components.length, kinds };
}

const getGroup = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The kind and group that a CustomResourceDefinition defines. */
function getDefinedKind({ component, configuration }: DesignComponent): string[] {
  const spec = asObject(configuration['spec']);
  if (component.kind !== 'CustomResourceDefinition' || !isObject(spec['names'])) return [];
  return [`${asText(spec['names']['kind'])} ${asText(spec['group'])}`];
}
