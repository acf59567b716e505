import { type DesignComponent, type DesignFile } from '../../../formats/design-file/design-file.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { type RelationshipDefinition } from '../../../formats/definitions/definitions.js';

/** A definition, and the model that it comes from. */
export interface ModelledDefinition {
  model: { name: string; version: string };
  definition: RelationshipDefinition;
}

export interface EvaluationOptions {
  /** The namespace of components without one; default: they are in none, and agree with every namespace. */
  namespace?: string;
  /** Whether patches of relationships that the user drew are applied to the components; default: no. */
  applyPatches?: boolean;
  /** The maximum number of relationships to find; at most and by default 20,000. */
  limit?: number;
}

/** A change that an evaluation made to a design: `value` has the form that other programs apply. */
export type EvaluationAction =
  | {
      op: 'add_relationship' | 'update_relationship' | 'delete_relationship';
      id: string;
      from: string;
      to: string;
      reason: string;
      value: { item: JsonObject } | { id: string; path: readonly string[]; value: Json } | { id: string };
    }
  | {
      op: 'update_component' | 'update_component_configuration';
      id: string;
      pointer: string;
      old: Json;
      new: Json;
      relationship: string;
      value: { id: string; path: readonly string[]; value: Json };
    };

/** The result of one definition. */
export interface DefinitionTrace {
  model: string;
  kind: string;
  type: string;
  subType: string;
  description: string;
  /** The number of relationships that it found or confirmed. */
  found: number;
  /** The reasons why it found none. */
  notes: string[];
}

export interface EvaluationTrace {
  componentsAdded: DesignComponent[];
  componentsUpdated: DesignComponent[];
  componentsRemoved: DesignComponent[];
  relationshipsAdded: JsonObject[];
  relationshipsUpdated: JsonObject[];
  relationshipsRemoved: JsonObject[];
  /** In an order that depends only on the definitions. */
  definitions: DefinitionTrace[];
  /** Patches that were requested and not applied. */
  notes: string[];
  /** Whether the limit was exceeded. */
  truncated: boolean;
}

export interface Evaluation {
  design: DesignFile;
  actions: EvaluationAction[];
  trace: EvaluationTrace;
}
