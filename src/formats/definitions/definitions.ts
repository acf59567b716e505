import type { Fault } from '../../core/errors/app-error.js';
import type { JsonObject } from '../../core/json/json.js';

/** Who published a model: a repository, a cluster, this server itself. */
export interface RegistrantDefinition {
  /** What tells registrants apart, in lowercase: `github`, `artifacthub`, `kubernetes`, a host name. */
  hostname: string;
  /** Lowercase: `github`, `artifacthub`, `kubernetes`, `meshery`. */
  kind: string;
}

/** The registrant of what is registered by hand, or generated, here. */
export const OWN_REGISTRANT: Readonly<RegistrantDefinition> = { hostname: 'armature', kind: 'armature' };

/** A model as a package or a generator tells of it: pure data, before it has a record. */
export interface ModelDefinition {
  /** As written. */
  name: string;
  displayName: string;
  /** `model.version` of the definition, which is not the definition's own `version`. */
  version: string;
  description: string;
  category: string;
  subCategory: string;
  registrant: RegistrantDefinition;
  metadata: JsonObject;
  /** Members that have no home above, so that an export gives them back; a `status` that a package gives is one of them. */
  rest: JsonObject;
  /** `digestOf` of it, when whoever made it has worked it out already. */
  digest?: string;
}

/** A component; its identity within its model and version is kind and apiVersion. */
export interface ComponentDefinition {
  kind: string;
  apiVersion: string;
  displayName: string;
  description: string;
  /** `JSON` unless the definition says otherwise. */
  format: string;
  /** JSON Schema as compact JSON text; empty when the definition has none. */
  schema: string;
  styles: JsonObject | null;
  capabilities: JsonObject[] | null;
  /** `isAnnotation`, `isNamespaced`, `source_uri` and whatever else was given. */
  metadata: JsonObject;
  /** Members that have no home above. */
  rest: JsonObject;
  /** `digestOf` of it, when whoever made it has worked it out already. */
  digest?: string;
}

/** A relationship between kinds of components, in the form of relationships.meshery.io/v1alpha3. */
export interface RelationshipDefinition {
  /** Lowercase: `edge`, `hierarchical`, `sibling`. */
  kind: string;
  /** Lowercase: `binding`, `non-binding`, `parent`, `sibling`, … */
  type: string;
  /** Lowercase: `network`, `mount`, `permission`, `reference`, `inventory`, `alias`, `matchlabels`, … */
  subType: string;
  version: string;
  selectors: JsonObject[];
  metadata: JsonObject;
  /** Members that have no home above. */
  rest: JsonObject;
  /** `digestOf` of it, when whoever made it has worked it out already. */
  digest?: string;
}

/** A model with what it holds: what a package has one or several of, and what a generator makes. */
export interface ModelContent {
  model: ModelDefinition;
  components: ComponentDefinition[];
  relationships: RelationshipDefinition[];
  /** The model is known only from what its components say of it: it may be made of that, but a model that is known better does not change. */
  embedded?: true;
}

/** A kind of connection as a package brings it. */
export interface ConnectionDefinition {
  /** Lowercase; what tells kinds apart: `grafana`, `kubernetes`. */
  kind: string;
  name: string;
  type: string;
  subType: string;
  description: string;
  /** JSON Schema of what a connection of this kind tells of itself. */
  connectionSchema: JsonObject | null;
  /** JSON Schema of its secret. */
  credentialSchema: JsonObject | null;
  /** What may follow each state. */
  transitionMap: JsonObject | null;
  /** Members that have no home above. */
  rest: JsonObject;
  /** `digestOf` of it, when whoever made it has worked it out already. */
  digest?: string;
}

/** Something that could not be taken while the rest was. */
export interface DefinitionFault extends Fault {
  /** `model`, `component`, `relationship`, `connection`, or `file` when it is not known what it was to be. */
  entity: 'model' | 'component' | 'relationship' | 'connection' | 'file';
  /** Path of the file in its package, or a name. `line` and `column` count in this file; `pointer` leads from the top of its document. */
  path: string;
}
