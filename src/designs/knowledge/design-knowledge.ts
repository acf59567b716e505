import { Injectable } from '@nestjs/common';
import type { Finding } from '../../registry/validation/finding.js';
import { isDeployable, resourceOf } from '../../formats/design-component.js';
import type { DesignComponent, DesignFile } from '../../formats/design-file.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../formats/located.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import { RelationshipEvaluation } from '../../registry/relationships/evaluation.service.js';
import { type ValidationAnswer, ValidationService } from '../../registry/validation/validation.service.js';
import { deployedComponents } from '../deployed-components.js';
import { DesignChecks } from '../design-checks.js';

export interface ComponentVerdict {
  id: string;
  name: string;
  kind: string;
  apiVersion: string;
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
  definition: ValidationAnswer['definition'];
}

export interface DesignVerdict {
  valid: boolean;
  /** One for each component that is a resource, hooks of a chart among them, in the order of the design; pointers lead into its resource. */
  components: ComponentVerdict[];
  counts: { components: number; valid: number; unknown: number; errors: number; warnings: number };
}

/** What the registry knows of a design: the models of its components, how they are related, and whether they are sound. */
@Injectable()
export class DesignKnowledge {
  constructor(
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipEvaluation,
    private readonly validation: ValidationService,
    checks: DesignChecks,
  ) {
    checks.add((design) => this.firstUnknown(design));
  }

  /** The same design with the models that its components belong to, and with its relationships. Kinds that nobody registered stay as they are. */
  async enrich(design: DesignFile): Promise<DesignFile> {
    const known = await this.components.holdingAll(design.components.map(kindOf));
    const models = new Map(known.map((each) => [keyOf(each), { name: each.modelName, version: each.modelVersion }]));
    const components = design.components.map((component) => {
      const model = models.get(keyOf(kindOf(component)));
      const isNamed = textOf(component.model.version) !== '';
      return model && !isNamed ? { ...component, model: { ...component.model, ...model } } : component;
    });
    return (await this.relationships.evaluate({ ...design, components })).design;
  }

  async validate(design: DesignFile): Promise<DesignVerdict> {
    const resources = design.components.filter(isDeployable);
    const answers = await this.validation.judgeAll(resources.map(resourceOf));
    const components = resources.map((component, index) => {
      const { kind, version } = component.component;
      const answer = answers[index] as ValidationAnswer;
      return { id: component.id, name: component.displayName, kind, apiVersion: version, ...answer };
    });
    const sum = (of: (verdict: ComponentVerdict) => number) => components.reduce((total, each) => total + of(each), 0);
    const counts = {
      components: components.length,
      valid: sum(({ valid }) => Number(valid)),
      unknown: sum(({ definition }) => Number(definition === null)),
      errors: sum(({ errors }) => errors.length),
      warnings: sum(({ warnings }) => warnings.length),
    };
    return { valid: counts.valid === counts.components, components, counts };
  }

  /** A kind that a definition in the design itself brings along is known. */
  private async firstUnknown(design: DesignFile): Promise<string | null> {
    const deployed = deployedComponents(design);
    const brought = new Set(deployed.flatMap(definedBy));
    const wanted = deployed.filter(({ component }) => !brought.has(`${component.kind} ${groupOf(component.version)}`));
    const known = new Set((await this.components.holdingAll(wanted.map(kindOf))).map(keyOf));
    const missing = wanted.find((component) => !known.has(keyOf(kindOf(component))));
    if (!missing) return null;
    const { kind, version } = missing.component;
    return `component ${missing.displayName || missing.id} is a ${kind} of ${version}, which the registry does not know`;
  }
}

const kindOf = ({ component }: DesignComponent) => ({ kind: component.kind, apiVersion: component.version });
const keyOf = ({ kind, apiVersion }: { kind: string; apiVersion: string }): string => `${kind} ${apiVersion}`;
const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The kind and group that a CustomResourceDefinition defines. */
function definedBy({ component, configuration }: DesignComponent): string[] {
  const spec: JsonObject = objectOf(configuration['spec']);
  if (component.kind !== 'CustomResourceDefinition' || !isObject(spec['names'])) return [];
  return [`${textOf(spec['names']['kind'])} ${textOf(spec['group'])}`];
}
