import { nullToEmpty, definedFields, UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { IdInput, MetadataInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import { type Environment, type Tier, TIERS } from './environment.entity.js';
import { EnvironmentView } from './environment.view.js';

@UpdatesView(() => EnvironmentView)
export class NewEnvironment {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @IdInput()
  organization_id!: string;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@UpdatesView(() => EnvironmentView)
export class EnvironmentChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Environment> {
    return definedFields({
      name: this.name,
      description: nullToEmpty(this.description, ''),
      tier: this.tier,
      metadata: nullToEmpty(this.metadata, {}),
    });
  }
}
