import { IdField, TextField, WordField } from '../../core/schema/view-fields.js';

/** A resource that does not comply with a policy. */
export class PolicyViolationView {
  @TextField({ rest: true, description: 'The component of the design.' })
  component!: string;

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @IdField({ rest: true, description: 'The id of the policy.' })
  policy_id!: string;

  @TextField({ rest: true, description: 'The name of the policy.' })
  policy!: string;

  @WordField(['enforce', 'warn'], {
    rest: true,
    description: 'Whether it refuses a deployment (`enforce`) or only warns.',
  })
  mode!: string;

  @TextField({ rest: true, description: 'What is wrong.' })
  message!: string;

  @TextField({ rest: true, nullable: true, description: 'Why the rule could not be evaluated; null when it was.' })
  reason!: string | null;
}
