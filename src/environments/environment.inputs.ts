import { cleared, given, Writes } from '../core/rest/change-input.js';
import { ChangeOnly } from '../core/rest/input.pipe.js';
import { IdInput, MapInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import { type Environment, type Tier, TIERS } from './environment.entity.js';
import { EnvironmentView } from './environment.view.js';

@Writes(() => EnvironmentView)
export class NewEnvironment {
  @NameInput()
  name!: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @IdInput()
  organization_id!: string;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;
}

@Writes(() => EnvironmentView)
export class EnvironmentChange extends ChangeOnly {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ clearable: true })
  description?: string | null;

  @WordInput(TIERS, { optional: true })
  tier?: Tier;

  @MapInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  /** The columns that this input sets. */
  fields(): Partial<Environment> {
    return given({
      name: this.name,
      description: cleared(this.description, ''),
      tier: this.tier,
      metadata: cleared(this.metadata, {}),
    });
  }
}
