import { type DesignComponent, type DesignFile } from '../../../formats/design-file/design-file.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { type RelationshipDefinition } from '../../../formats/definitions/definitions.js';

/** A definition, and the model that it comes from. */
export interface ModelledDefinition {
  model: { name: string; version: string };
  definition: RelationshipDefinition;
}

export interface EvaluationOptions {
  /** The namespace of components that name none; `default` unless given. */
  namespace?: string;
  /** Whether patches of the relationships that the user drew are applied to the components; they are not unless asked for. */
  applyPatches?: boolean;
  /** How many relationships are found at most. */
  limit?: number;
}

/** A change that an evaluation made to a design. */
export type EvaluationAction =
  | {
      op: 'add_relationship' | 'update_relationship' | 'delete_relationship';
      id: string;
      from: string;
      to: string;
      reason: string;
    }
  | { op: 'update_component'; id: string; pointer: string; old: Json; new: Json; relationship: string };

/** What became of one definition. */
export interface DefinitionTrace {
  model: string;
  kind: string;
  type: string;
  subType: string;
  description: string;
  /** Relationships that it found or confirmed. */
  found: number;
  /** Why it found none. */
  notes: string[];
}

export interface EvaluationTrace {
  componentsAdded: DesignComponent[];
  componentsUpdated: DesignComponent[];
  componentsRemoved: DesignComponent[];
  relationshipsAdded: JsonObject[];
  relationshipsUpdated: JsonObject[];
  relationshipsRemoved: JsonObject[];
  /** In an order that depends on nothing but the definitions themselves. */
  definitions: DefinitionTrace[];
  /** Patches that were asked for and could not be applied. */
  notes: string[];
  /** Whether there was more to find than the limit. */
  truncated: boolean;
}

export interface Evaluation {
  design: DesignFile;
  actions: EvaluationAction[];
  trace: EvaluationTrace;
}
