import { EXAMPLE_ID, InputForms } from '../core/schema/field-examples.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { OrganizationListQuery, QueryText } from '../core/listing/list-query.js';
import { UpdatesView } from '../core/rest/read-only-fields.js';
import { UpdateInput } from '../core/rest/input.pipe.js';
import { IdInput, MapInput, MetadataInput, NameInput, TextInput, WordInput } from '../core/schema/input-fields.js';
import { CONNECTION_STATUSES, type ConnectionStatus } from './connection-status.js';
import { ConnectionView } from './connection.view.js';

/** The query parameters of the list of connections: words, with commas or as a JSON array. */
export class ConnectionListQuery extends OrganizationListQuery {
  @ApiPropertyOptional({ description: 'Only these kinds: words with commas, or a JSON array.' })
  @QueryText('words')
  kind?: string;

  @ApiPropertyOptional({ description: 'Only these types: words with commas, or a JSON array.' })
  @QueryText('words')
  type?: string;

  @ApiPropertyOptional({
    description: `Only these statuses, with commas or as a JSON array: ${CONNECTION_STATUSES.join(', ')}.`,
  })
  @QueryText('words')
  status?: string;
}

@UpdatesView(() => ConnectionView)
@InputForms({
  'with a new credential': {
    name: 'metrics',
    kind: 'prometheus',
    metadata: { url: 'https://prometheus.example.com' },
    credential_secret: { token: 'example-token' },
    organization_id: EXAMPLE_ID,
  },
  'with a credential': {
    name: 'metrics',
    kind: 'prometheus',
    metadata: { url: 'https://prometheus.example.com' },
    credential_id: EXAMPLE_ID,
    organization_id: EXAMPLE_ID,
  },
})
export class NewConnection {
  @NameInput()
  name!: string;

  @TextInput({ max: 63 })
  @Matches(/^[a-z0-9][a-z0-9._-]*$/, { message: 'must be lowercase letters, digits, dots, hyphens and underscores' })
  kind!: string;

  @TextInput({ optional: true, max: 63 })
  type?: string;

  @TextInput({ optional: true, max: 63 })
  sub_type?: string;

  @WordInput(['discovered', 'registered'], { optional: true })
  status?: 'discovered' | 'registered';

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  @IdInput({ clearable: true })
  credential_id?: string | null;

  @MapInput({
    optional: true,
    filled: true,
    description: 'Instead of credential_id: creates a credential with this secret.',
  })
  credential_secret?: Record<string, unknown>;

  @IdInput({ optional: true })
  organization_id?: string;
}

@UpdatesView(() => ConnectionView)
@InputForms({
  rename: { name: 'metrics' },
  'change the status': { status: 'maintenance' },
  'replace the secret': { credential_secret: { token: 'example-token' } },
})
export class ConnectionChange extends UpdateInput {
  @NameInput({ optional: true })
  name?: string;

  @TextInput({ optional: true, max: 63 })
  type?: string;

  @TextInput({ optional: true, max: 63 })
  sub_type?: string;

  @WordInput(CONNECTION_STATUSES, { optional: true })
  status?: ConnectionStatus;

  @MetadataInput({ clearable: true })
  metadata?: Record<string, unknown> | null;

  @IdInput({ clearable: true })
  credential_id?: string | null;

  @MapInput({
    optional: true,
    filled: true,
    description:
      'Replaces the secret of its credential, for every connection that shares it, or creates a credential if it has none. Together with credential_id null it creates a new credential.',
  })
  credential_secret?: Record<string, unknown>;
}
