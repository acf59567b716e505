import type { Json, JsonObject } from '../../core/json/json.js';

export const DESIGN_SCHEMA_VERSION = 'designs.meshery.io/v1beta1';
export const COMPONENT_SCHEMA_VERSION = 'components.meshery.io/v1beta1';

/** A design in its canonical form. Unknown members are kept unchanged. */
export interface DesignFile {
  id?: string;
  name: string;
  schemaVersion: string;
  /** Semver of the content. */
  version: string;
  components: DesignComponent[];
  relationships: JsonObject[];
  metadata: JsonObject;
  preferences: JsonObject;
  [member: string]: Json | undefined | DesignComponent[];
}

/** One part of a design: usually one Kubernetes resource, or an annotation (a shape, a comment) that is never deployed. */
export interface DesignComponent {
  id: string;
  schemaVersion: string;
  version: string;
  displayName: string;
  description: string;
  format: string;
  model: DesignModel;
  component: DesignKind;
  /** The resource without `apiVersion` and `kind`. */
  configuration: JsonObject;
  metadata: JsonObject;
  [member: string]: Json | undefined | DesignModel | DesignKind;
}

export interface DesignModel {
  name: string;
  version?: string;
  displayName?: string;
  [member: string]: Json | undefined;
}

export interface DesignKind {
  kind: string;
  /** The apiVersion: `apps/v1`. */
  version: string;
  schema?: string;
  [member: string]: Json | undefined;
}
