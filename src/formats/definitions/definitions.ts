import type { Fault } from '../../core/errors/app-error.js';
import type { JsonObject } from '../../core/json/json.js';

/** The publisher of a model: a repository, a cluster, this server itself. */
export interface RegistrantDefinition {
  /** Identifies a registrant, in lowercase: `github`, `artifacthub`, `kubernetes`, a host name. */
  hostname: string;
  /** Lowercase: `github`, `artifacthub`, `kubernetes`, `meshery`. */
  kind: string;
}

/** The registrant of definitions that are registered by hand, or generated, on this server. */
export const OWN_REGISTRANT: Readonly<RegistrantDefinition> = { hostname: 'armature', kind: 'armature' };

/** A model as described by a package or a generator: pure data, before it has a record. */
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
  /** Other members, so that an export contains them; a `status` given by a package is one of them. */
  rest: JsonObject;
  /** `definitionDigest` of it, when the reader or generator has computed it already. */
  digest?: string;
}

/** A component; its identity within its model and version is kind and apiVersion. */
export interface ComponentDefinition {
  kind: string;
  apiVersion: string;
  displayName: string;
  description: string;
  /** `JSON` by default. */
  format: string;
  /** JSON Schema as compact JSON text; empty when the definition has none. */
  schema: string;
  styles: JsonObject | null;
  capabilities: JsonObject[] | null;
  /** `isAnnotation`, `isNamespaced`, `source_uri`, and any other members. */
  metadata: JsonObject;
  /** Other members. */
  rest: JsonObject;
  /** `definitionDigest` of it, when the reader or generator has computed it already. */
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
  /** Other members. */
  rest: JsonObject;
  /** `definitionDigest` of it, when the reader or generator has computed it already. */
  digest?: string;
}

/** A model with its entries: the content of packages, and the output of generators. */
export interface ModelContent {
  model: ModelDefinition;
  components: ComponentDefinition[];
  relationships: RelationshipDefinition[];
  /** The model is known only from its components: this may create it, but does not change an existing one. */
  embedded?: true;
}

/** A kind of connection defined by a package. */
export interface ConnectionDefinition {
  /** Lowercase; the identity of a kind: `grafana`, `kubernetes`. */
  kind: string;
  name: string;
  type: string;
  subType: string;
  description: string;
  /** JSON Schema of the metadata of a connection of this kind. */
  connectionSchema: JsonObject | null;
  /** JSON Schema of its secret. */
  credentialSchema: JsonObject | null;
  /** The allowed next states of each state. */
  transitionMap: JsonObject | null;
  /** Other members. */
  rest: JsonObject;
  /** `definitionDigest` of it, when the reader or generator has computed it already. */
  digest?: string;
}

/** An invalid part of an otherwise accepted input. */
export interface DefinitionFault extends Fault {
  /** `model`, `component`, `relationship`, `connection`, or `file` when its type is unknown. */
  entity: 'model' | 'component' | 'relationship' | 'connection' | 'file';
  /** Path of the file in its package, or a name. `line` and `column` are in this file; `pointer` is relative to its document. */
  path: string;
}
